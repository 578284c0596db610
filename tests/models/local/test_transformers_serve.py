"""`transformers serve` with the tiny vision-language model, asked as any server that speaks chat completions."""

import asyncio
import io
import threading

import numpy as np
import PIL.Image
import pytest

from snellen.models import open_model
from snellen.models.base import check_sent
from snellen.prompts import Request, Settings


def decoded(data, mode=None, apply_exif_orientation=True):
    """An image file as torchvision decodes it, for a torchvision that was built without its decoders."""
    import torch

    pixels = np.array(PIL.Image.open(io.BytesIO(bytes(data.tolist()))).convert("RGB"))
    return torch.from_numpy(pixels).permute(2, 0, 1)


@pytest.fixture(scope="module")
def server(transformers, seeing):
    """The address of transformers' own server, in a thread of this process."""
    import torchvision.io
    from transformers.cli.serve import Serve

    class Threaded(Serve):
        """The server in a thread that closes its loop, which transformers' own leaves open."""

        def start_server(self):
            self._thread = threading.Thread(target=asyncio.run, args=(self.server.serve(),))
            self._thread.start()

    serving = Threaded(str(seeing), host="127.0.0.1", port=0, device="cpu", dtype="float32", non_blocking=True)
    while not serving.server.started:
        assert serving._thread.is_alive()
        serving._thread.join(0.01)
    with pytest.MonkeyPatch.context() as patch:
        if not torchvision.io.image._has_image_ops():
            patch.setattr("torchvision.io.decode_image", decoded)
        yield f"http://127.0.0.1:{serving.server.servers[0].sockets[0].getsockname()[1]}/v1"
    serving.server.should_exit = True
    serving._thread.join()
    serving.kill_server()


def test_the_server_answers_as_the_model(server, seeing, picture, answers):
    """Image and words give the same reply and counts by the server as in this process."""
    request = Request("m", "A or B?", images=(picture(),), settings=Settings(temperature=0, max_tokens=8))
    served = open_model(f"openai/{seeing}", base_url=server, key="none")
    [by_server] = answers(served, request)
    [here] = answers(open_model(f"hf/{seeing},device=cpu"), request)
    check_sent(request, by_server)
    assert (by_server.text.strip(), by_server.finish) == (here.text, here.finish)
    assert by_server.usage[:2] == here.usage[:2]
