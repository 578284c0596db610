"""Answer formats: sentences that ask for an answer which a parser can read, by language."""

from __future__ import annotations

from collections.abc import Mapping

from snellen.prompts.places import put

PLACE = "answer_format"
USUAL = "en"
"""Language of a prompt's own wording."""
Formats = Mapping[str, str]
"""Sentences by the code of their language."""

LETTER: Formats = {
    "en": "Choose one option. End your reply with a line of the form 'Answer: X', where X is its letter.",
    "it": "Scegli un'opzione. Termina la risposta con una riga nella forma 'Risposta: X', dove X è la sua lettera.",
    "es": "Elige una opción. Termina tu respuesta con una línea de la forma 'Respuesta: X', donde X es su letra.",
    "fr": "Choisissez une option. Terminez votre réponse par une ligne de la forme 'Réponse : X', où X est sa lettre.",
    "de": "Wähle eine Option. Beende deine Antwort mit einer Zeile der Form 'Antwort: X', wobei X ihr Buchstabe ist.",
    "zh": "请选择一个选项，并在回复的最后一行以“答案：X”的形式作答，其中X为该选项的字母。",
}
LETTER_AFTER_STEPS: Formats = {
    "en": "Think step by step, then choose one option. "
    "End your reply with a line of the form 'Answer: X', where X is its letter.",
    "it": "Ragiona passo dopo passo, poi scegli un'opzione. "
    "Termina la risposta con una riga nella forma 'Risposta: X', dove X è la sua lettera.",
    "es": "Razona paso a paso y luego elige una opción. "
    "Termina tu respuesta con una línea de la forma 'Respuesta: X', donde X es su letra.",
    "fr": "Raisonnez étape par étape, puis choisissez une option. "
    "Terminez votre réponse par une ligne de la forme 'Réponse : X', où X est sa lettre.",
    "de": "Denke Schritt für Schritt und wähle dann eine Option. "
    "Beende deine Antwort mit einer Zeile der Form 'Antwort: X', wobei X ihr Buchstabe ist.",
    "zh": "请逐步思考，然后选择一个选项，并在回复的最后一行以“答案：X”的形式作答，其中X为该选项的字母。",
}
WORDS: Formats = {
    "en": "Answer in a few words. End your reply with a line of the form 'Answer: …'.",
    "it": "Rispondi in poche parole. Termina la risposta con una riga nella forma 'Risposta: …'.",
    "es": "Responde en pocas palabras. Termina con una línea de la forma 'Respuesta: …'.",
    "fr": "Répondez en quelques mots. Terminez par une ligne de la forme 'Réponse : …'.",
    "de": "Antworte in wenigen Worten. Beende deine Antwort mit einer Zeile der Form 'Antwort: …'.",
    "zh": "请用几个词回答，并在回复的最后一行以“答案：…”的形式作答。",
}
WORDS_AFTER_STEPS: Formats = {
    "en": "Think step by step, then answer in a few words. End your reply with a line of the form 'Answer: …'.",
    "it": "Ragiona passo dopo passo, poi rispondi in poche parole. "
    "Termina la risposta con una riga nella forma 'Risposta: …'.",
    "es": "Razona paso a paso y luego responde en pocas palabras. Termina con una línea de la forma 'Respuesta: …'.",
    "fr": "Raisonnez étape par étape, puis répondez en quelques mots. "
    "Terminez par une ligne de la forme 'Réponse : …'.",
    "de": "Denke Schritt für Schritt und antworte dann in wenigen Worten. "
    "Beende deine Antwort mit einer Zeile der Form 'Antwort: …'.",
    "zh": "请逐步思考，然后用几个词回答，并在回复的最后一行以“答案：…”的形式作答。",
}
REPORT: Formats = {"en": "Write the FINDINGS and the IMPRESSION of the report, and nothing else."}

_LINES = {
    "en": "Answer: ",
    "it": "Risposta: ",
    "es": "Respuesta: ",
    "fr": "Réponse : ",
    "de": "Antwort: ",
    "zh": "答案：",
}
LETTER_REPLY: Formats = {code: f"{line}{{letter}}" for code, line in _LINES.items()}
WORDS_REPLY: Formats = {code: f"{line}{{answer}}" for code, line in _LINES.items()}
"""Example responses that follow the sentences above, by language."""


def after_steps(replies: Formats) -> Formats:
    """Return example responses with a place for reasoning before the answer."""
    return {code: reply if "{rationale}" in reply else f"{{rationale}}\n\n{reply}" for code, reply in replies.items()}


def fill_place(user: str, translations: Mapping[str, str], formats: Formats) -> tuple[str, dict[str, str]]:
    """Put the answer sentence into a wording and its translations, each in its language.

    A language that has a sentence but no translation gets the wording with the sentence in that language.

    >>> user, others = fill_place("{question} {answer_format}", {}, LETTER)
    >>> others["it"][:31]
    "{question} Scegli un'opzione. T"
    """
    wordings = {**dict.fromkeys(formats, user), **translations}
    made = {code: put(each, PLACE, formats.get(code, formats[USUAL])) for code, each in wordings.items()}
    return put(user, PLACE, formats[USUAL]), {code: each for code, each in made.items() if code != USUAL}
