"""One rule for every parser: a response that declines the task has refused, one that cannot tell has abstained."""

import pytest

from snellen.items import Item, Option
from snellen.reading import Outcome, grade

CHEST = Item(
    id="cxr/1",
    question="What does this chest X-ray show?",
    options=tuple(map(Option, ("Pneumonia", "Effusion", "Pneumothorax"))),
    answer=0,
)
BRAIN = Item(
    id="mri/1",
    question="Is this image normal?",
    options=(Option("brain tumor"), Option("normal")),
    answer=0,
    metadata={"normal": "normal"},
)
OPEN = Item(id="open/1", question="What does this chest X-ray show?", kind="open", answer="Pneumonia")
PARSERS = [(CHEST, "lenient"), (BRAIN, "lenient"), (BRAIN, "detection-as-published"), (OPEN, "missing-image")]

REFUSED = [
    "I'm sorry, but I can't assist with that.",
    "I can't provide medical advice.",
    "I'm not able to interpret medical images.",
    "I'm unable to view or interpret medical images.",
    "I can't analyze the content of the image.",
    "I can't answer that.",
    "I can't identify the person in this image.",
    "I must decline to answer this question.",
    "This is against my guidelines.",
    "It would be inappropriate for me to give a diagnosis.",
    "I don't have the capability to provide medical information.",
    "Mi dispiace, non posso aiutarti con questa richiesta.",
    "Non posso fornire consulenze mediche.",
    "Non posso analizzare il contenuto dell'immagine.",
    "Non posso rispondere a questa domanda.",
    "Lo siento, no puedo ayudar con eso.",
    "No puedo dar consejos médicos.",
    "No puedo analizar el contenido de la imagen.",
    "Désolé, je ne peux pas vous aider.",
    "Je ne peux pas donner de conseil médical.",
    "Je ne peux pas analyser le contenu de l'image.",
    "Es tut mir leid, dabei kann ich nicht helfen.",
    "Ich darf keine medizinische Beratung geben.",
    "Ich kann den Inhalt des Bildes nicht analysieren.",
    "抱歉，我无法协助您。",
    "我不能提供医疗建议。",
    "我无法分析图像的内容。",
]
ABSTAINED = [
    "I cannot tell from this view.",
    "It is not possible to determine this from the image.",
    "There is not enough information to decide.",
    "More information is needed to decide.",
    "I have no idea.",
    "I don't know.",
    "I cannot see any image.",
    "I can't analyze images.",
    "I'm sorry, but I can't see the image.",
    "I'm sorry, but I cannot determine which of these it is.",
    "Non saprei dire di quale si tratti.",
    "Non ci sono informazioni sufficienti per decidere.",
    "Non vedo alcuna immagine.",
    "No puedo determinarlo con esta imagen.",
    "No entiendo la imagen.",
    "No veo ninguna imagen.",
    "Je ne peux pas le déterminer d'après cette image.",
    "Je ne vois aucune image.",
    "Das lässt sich auf diesem Bild nicht beurteilen.",
    "Ich sehe kein Bild.",
    "仅凭这张图无法判断。",
    "我没有看到图片。",
]


@pytest.mark.parametrize(
    ("text", "outcome"),
    [*((text, Outcome.REFUSED) for text in REFUSED), *((text, Outcome.ABSTAINED) for text in ABSTAINED)],
)
def test_every_parser_tells_them_apart_alike(text, outcome):
    """The same sentence has the same outcome, whatever was asked and whichever parser reads it."""
    assert [grade(text, "stop", item, parser).outcome for item, parser in PARSERS] == [outcome] * len(PARSERS)
