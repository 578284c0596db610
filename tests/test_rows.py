"""Tables as one test: every row is tried, and each that fails is named."""

import inspect

import pytest

from rows import run_rows


def test_every_row_is_tried_and_those_that_fail_are_named():
    """A failure does not hide those after it; what is no column is a fixture as before."""
    tried = []

    def check(number, right, fixture):
        tried.append((number, fixture))
        assert right

    run = run_rows(check, [{"number": number, "right": number % 2 == 1} for number in (1, 2, 3, 4)])
    assert list(inspect.signature(run).parameters) == ["fixture"]
    with pytest.raises(ExceptionGroup, match="2 of 4 rows fail") as raised:
        run(fixture="f")
    assert tried == [(number, "f") for number in (1, 2, 3, 4)]
    assert [error.__notes__ for error in raised.value.exceptions] == [
        ["row: {'number': 2, 'right': False}"],
        ["row: {'number': 4, 'right': False}"],
    ]


CALLS = []


@pytest.mark.parametrize("one", ["a", ("b", "c")])
@pytest.mark.parametrize(("two", "three"), [(1, 2), (3, 4)], ids=["x", "y"])
def test_columns(one, two, three):
    """Collected as one test, which has every combination."""
    CALLS.append((one, two, three))
    if len(CALLS) == 4:
        assert sorted(CALLS, key=repr) == sorted(
            [(one, *two) for one in ("a", ("b", "c")) for two in ((1, 2), (3, 4))], key=repr
        )


@pytest.mark.parametrize("row", [1, 2])
def test_a_row_that_needs_a_setup_is_a_case_of_its_own(row, request, tmp_path):
    """So each has a folder of its own."""
    assert request.node.callspec.params == {"row": row}
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "written").touch()


def test_other_rows_are_no_cases(request):
    """A table without such a setup is one item of the session."""
    names = [item.name for item in request.session.items if item.path == request.path]
    assert not [name for name in names if name.startswith(("test_columns[", "test_method["))]


class TestMethods:
    """A table of a method is one test as well."""

    @pytest.mark.parametrize("row", [1, 2])
    def test_method(self, row):
        """Bound to an instance, as methods are."""
        assert isinstance(self, TestMethods)
        assert row in (1, 2)
