"""The longest that a post may take."""

import asyncio

import pytest

from models.skipping import Skipping
from snellen.models.client.transport import Deadline


def run(main):
    """What comes of it on a clock that jumps ahead, and the time at the end."""
    loop = Skipping()
    try:
        return loop.run_until_complete(main()), loop.now
    finally:
        loop.close()


def test_each_task_ends_after_its_own_time():
    """A task that began a second later ends a second later; one that is done in time goes on."""

    async def work(deadline, start, takes):
        await asyncio.sleep(start)
        try:
            with deadline:
                await asyncio.sleep(takes)
        except TimeoutError:
            return "late", asyncio.get_running_loop().time()
        await asyncio.sleep(100)
        return "done", asyncio.get_running_loop().time()

    async def main():
        deadline = Deadline(10)
        return await asyncio.gather(*(work(deadline, start, takes) for start, takes in ((0, 60), (1, 60), (2, 5))))

    assert run(main) == ([("late", 10), ("late", 11), ("done", 107)], 107)


def test_a_task_can_be_late_twice():
    """After a first post that was late, the second has all of its time."""

    async def main():
        deadline = Deadline(10)
        for _ in range(2):
            with pytest.raises(TimeoutError), deadline:
                await asyncio.sleep(60)
        assert asyncio.current_task().cancelling() == 0

    assert run(main)[1] == 20


def test_a_task_that_is_cancelled_is_not_late():
    """Whoever ends a task from outside sees it cancelled, also in the moment in which it would be late."""

    async def work(deadline):
        with deadline:
            await asyncio.sleep(60)

    async def main():
        deadline = Deadline(10)
        for after in (3, 10):
            task = asyncio.create_task(work(deadline))
            await asyncio.sleep(0)
            asyncio.get_running_loop().call_later(after, task.cancel)
            with pytest.raises(asyncio.CancelledError):
                await task

    run(main)
