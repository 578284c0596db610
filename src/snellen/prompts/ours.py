"""Our own wordings: an answer by its letter, at once or after steps."""

from __future__ import annotations

from snellen.prompts.prompt import Prompt

BRIEF = Prompt(
    "brief",
    "{question}\n\nAnswer in a few words. End your reply with a line of the form 'Answer: …'.",
    translations={
        "it": "{question}\n\nRispondi in poche parole. Termina la risposta con una riga nella forma 'Risposta: …'.",
        "es": "{question}\n\nResponde en pocas palabras. Termina con una línea de la forma 'Respuesta: …'.",
        "fr": "{question}\n\nRépondez en quelques mots. Terminez par une ligne de la forme 'Réponse : …'.",
        "de": "{question}\n\nAntworte in wenigen Worten. Beende deine Antwort mit einer Zeile der Form 'Antwort: …'.",
        "zh": "{question}\n\n请用几个词回答，并在回复的最后一行以“答案：…”的形式作答。",
    },
)
BRIEF_WITH_STEPS = Prompt(
    "brief-cot",
    "{question}\n\nThink step by step, then answer in a few words. End your reply with a line of the form 'Answer: …'.",
    translations={
        "it": "{question}\n\nRagiona passo dopo passo, poi rispondi in poche parole. "
        "Termina la risposta con una riga nella forma 'Risposta: …'.",
        "es": "{question}\n\nRazona paso a paso y luego responde en pocas palabras. "
        "Termina con una línea de la forma 'Respuesta: …'.",
        "fr": "{question}\n\nRaisonnez étape par étape, puis répondez en quelques mots. "
        "Terminez par une ligne de la forme 'Réponse : …'.",
        "de": "{question}\n\nDenke Schritt für Schritt und antworte dann in wenigen Worten. "
        "Beende deine Antwort mit einer Zeile der Form 'Antwort: …'.",
        "zh": "{question}\n\n请逐步思考，然后用几个词回答，并在回复的最后一行以“答案：…”的形式作答。",
    },
)
LETTER = Prompt(
    "letter",
    "{question}\n\n{options}\n\n"
    "Choose one option. End your reply with a line of the form 'Answer: X', where X is its letter.",
    translations={
        "it": "{question}\n\n{options}\n\n"
        "Scegli un'opzione. Termina la risposta con una riga nella forma 'Risposta: X', "
        "dove X è la sua lettera.",
        "es": "{question}\n\n{options}\n\n"
        "Elige una opción. Termina tu respuesta con una línea de la forma 'Respuesta: X', donde X es su letra.",
        "fr": "{question}\n\n{options}\n\n"
        "Choisissez une option. Terminez votre réponse par une ligne de la forme 'Réponse : X', "
        "où X est sa lettre.",
        "de": "{question}\n\n{options}\n\n"
        "Wähle eine Option. Beende deine Antwort mit einer Zeile der Form 'Antwort: X', "
        "wobei X ihr Buchstabe ist.",
        "zh": "{question}\n\n{options}\n\n"
        "请选择一个选项，并在回复的最后一行以“答案：X”的形式作答，其中X为该选项的字母。",
    },
    steps="letter-cot",
    tasks={"open": BRIEF},
)
LETTER_WITH_STEPS = Prompt(
    "letter-cot",
    "{question}\n\n{options}\n\nThink step by step, then choose one option. "
    "End your reply with a line of the form 'Answer: X', where X is its letter.",
    translations={
        "it": "{question}\n\n{options}\n\nRagiona passo dopo passo, poi scegli un'opzione. "
        "Termina la risposta con una riga nella forma 'Risposta: X', dove X è la sua lettera.",
        "es": "{question}\n\n{options}\n\nRazona paso a paso y luego elige una opción. "
        "Termina tu respuesta con una línea de la forma 'Respuesta: X', donde X es su letra.",
        "fr": "{question}\n\n{options}\n\nRaisonnez étape par étape, puis choisissez une option. "
        "Terminez votre réponse par une ligne de la forme 'Réponse : X', où X est sa lettre.",
        "de": "{question}\n\n{options}\n\nDenke Schritt für Schritt und wähle dann eine Option. "
        "Beende deine Antwort mit einer Zeile der Form 'Antwort: X', wobei X ihr Buchstabe ist.",
        "zh": "{question}\n\n{options}\n\n请逐步思考，然后选择一个选项，"
        "并在回复的最后一行以“答案：X”的形式作答，其中X为该选项的字母。",
    },
    tasks={"open": BRIEF_WITH_STEPS},
)
