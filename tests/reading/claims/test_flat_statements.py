"""Flat statements: what a reply says of this case without naming the image or one who sees, in sentences of our own."""

from __future__ import annotations

import pytest

from snellen.items import Item
from snellen.reading.claims.parser import read_claims, read_rationale


def claims(question, reply):
    """What a reply claims that the question had not told."""
    return read_rationale(reply, "", Item("1", question)).claims


STATED = [
    ("Is the aorta dilated?", "Yes, the aorta is dilated."),
    ("Is the aorta dilated?", "A. Yes, the aorta is dilated."),
    ("Is the aorta dilated?", "**No**, the aorta isn't dilated."),
    ("Is there a pneumothorax?", "There is no evidence of pneumothorax."),
    ("Is there a pneumothorax?", "I do not see any pneumothorax."),
    ("Is there a midline shift?", "The answer is no, there is no midline shift."),
    ("What is abnormal?", "The cardiac silhouette appears enlarged."),
    ("What is abnormal?", "Heart size is enlarged."),
    ("What is abnormal?", "A large mass is present in the right upper lobe."),
    ("Which side is the effusion on?", "It is on the right."),
    ("Is this a coronal section?", "This is an axial section."),
    ("Is this an AP film?", "This is an AP film."),
    ("Can the ventricles be seen?", "Yes, the ventricles can be seen."),
    ("Where does the tube end?", "The tube terminates in the stomach."),
    ("Does the patient have pneumonia?", "The patient has a mild form of pneumonia."),
    ("What does the label say?", "The label reads “poison”."),
    ("Il cuore è ingrandito?", "No, il cuore non è ingrandito."),
    ("C'è una frattura?", "Non c'è alcuna frattura."),
    ("¿Está dilatada la aorta?", "La aorta está dilatada."),
    ("¿Hay una fractura?", "Sí, hay una fractura."),
    ("Où se trouve la lésion ?", "La lésion se trouve dans le lobe frontal."),
    ("Que suggère cette image ?", "L'image suggère une pneumonie."),
    ("Ist das Herz vergrößert?", "Das Herz ist vergrößert."),
    ("Gibt es eine Fraktur?", "Nein, es gibt keine Fraktur."),
    ("心脏增大吗？", "是的，心脏明显增大。"),
    ("病变在哪一侧？", "病变位于左侧。"),
    # as a radiology model would say it, in each language
    ("Is there a pneumothorax?", "No evidence of pneumothorax."),
    ("Is there a pneumothorax?", "Yes, the study has a small apical pneumothorax."),
    ("Is this an MRI?", "Yes, this is a magnetic resonance image."),
    ("Has the bowel perforated?", "Yes, the bowel perforated."),
    ("What is it?", "The image shows an opacity, but it is difficult to tell what it is."),
    ("In welcher Ebene ist das Bild?", "Das Bild wurde axial aufgenommen."),
    ("Wo ist die Läsion?", "Im rechten Oberlappen findet sich eine Raumforderung."),
    ("Liegt eine Fraktur vor?", "Nein, eine Fraktur liegt nicht vor."),
    ("Liegt eine Fraktur vor?", "Keine Anzeichen einer Fraktur."),
    ("Ist das Herz groß?", "Der Herzschatten ist nicht vergrößert."),
    ("Ist das eine MRT?", "Nein, es handelt sich um eine CT-Aufnahme."),
    ("Y a-t-il un pneumothorax ?", "Il existe un pneumothorax gauche."),
    ("Y a-t-il une fracture ?", "Aucune fracture n'est détectée."),
    ("Est-ce une IRM ?", "Oui, c'est une IRM cérébrale."),
    ("Où est la lésion ?", "Elle se trouve dans le lobe supérieur droit."),
    ("Que voyez-vous ?", "Les deux poumons présentent des opacités diffuses."),
    ("Que voyez-vous ?", "Je vois une fracture du radius."),
    ("¿Hay un neumotórax?", "No, no se puede ver un neumotórax en la radiografía."),
    ("¿Hay un neumotórax?", "Existe un neumotórax en el pulmón izquierdo."),
    ("¿Qué sugiere la imagen?", "La retina presenta signos de daño."),
    ("¿En qué plano está?", "La imagen fue tomada en el plano coronal."),
    ("¿Qué se ve?", "Ambos pulmones presentan opacidades difusas."),
    ("¿Hay una fractura?", "Sin evidencia de fractura."),
    ("Dove si trova l'alterazione?", "Pertanto, l'alterazione si trova nel campo medio sinistro."),
    ("Dove si trova l'alterazione?", "È localizzata nel polmone destro."),
    ("Che cosa vedi?", "Nel lobo superiore destro si nota una massa."),
    ("Che cosa vedi?", "I polmoni sono liberi."),
    ("È una TC?", "No, si tratta di una risonanza magnetica."),
    ("C'è una frattura?", "Nessuna evidenza di frattura."),
    ("有骨折吗？", "没有骨折迹象。"),
    ("有骨折吗？", "骨骼完整，无骨折。"),
    ("有气胸吗？", "从图像上看，右侧有气胸。"),
    ("这是什么图像？", "这是脑部的轴位MRI图像。"),
    ("哪一侧受累？", "左侧受累。"),
]


@pytest.mark.parametrize(("question", "reply"), STATED)
def test_a_flat_statement_about_what_is_asked_is_a_claim(question, reply):
    """A definite subject, "there is" or "is present" say how it is in this case; a question tells no answer."""
    assert len(claims(question, reply)) == 1


GENERAL = [
    ("Is the aorta dilated?", "Yes."),
    ("Is the aorta dilated?", "The aorta is the largest artery in the body."),
    ("Is the aorta dilated?", "The aorta is considered dilated above 3 cm."),
    ("Is the aorta dilated?", "The normal diameter of the aorta is less than 3 cm."),
    ("Is the aorta dilated?", "The aorta may be dilated."),
    ("Is the aorta dilated?", "If the aorta is dilated, surgery is needed."),
    ("Is the aorta dilated?", "I cannot see the image. The aorta is dilated above 3 cm."),
    ("Is the trachea midline?", "The trachea is located in the neck."),
    ("Is there a mass?", "A mass is an abnormal growth of tissue."),
    ("Is there a mass?", "There are two kinds of masses: benign and malignant."),
    ("Is there a mass?", "There is a possibility of a mass."),
    ("Is there a mass?", "There is no image of a mass."),
    ("Is there a mass?", "The scan is needed to tell."),
    ("Is there a mass?", "The image is too blurry to tell."),
    ("Is there a mass?", "The presence of a mass on the CT suggests cancer."),
    ("What is the diagnosis?", "The most likely diagnosis is pneumonia."),
    ("What is the diagnosis?", "The findings are consistent with pneumonia."),
    ("In what plane is the image?", "The image is in a plane."),
    ("La milza è ingrandita?", "La milza si trova nell'ipocondrio sinistro."),
    ("C'è una frattura?", "La frattura è una rottura dell'osso."),
    ("¿Hay neumonía?", "La neumonía es una infección de los pulmones."),
    ("Y a-t-il une fracture ?", "La fracture est une rupture de l'os."),
    ("Ist das Herz vergrößert?", "Das Herz ist ein Muskel."),
    ("心脏增大吗？", "心脏是一个器官。"),
    ("心脏增大吗？", "心脏增大吗？"),
    # nothing can be told
    ("Is there a mass?", "Based on the X-ray provided, it is not possible to definitively determine whether there is."),
    ("Is there a mass?", "From this scan, it is unlikely to be able to tell whether a mass is present."),
    ("Is the heart large?", "There is no information about the heart size in this image."),
    ("Gibt es eine Fraktur?", "Ich kann auf dem Bild nicht erkennen, ob eine Fraktur vorliegt."),
    ("Gibt es eine Fraktur?", "Es ist schwer zu sagen, ob das Bild eine Fraktur zeigt."),
    ("Y a-t-il une fracture ?", "On ne peut pas dire qu'il y a une fracture sur cette image."),
    ("Y a-t-il une fracture ?", "Il n'y a pas assez d'informations dans cette image."),
    ("¿Hay una fractura?", "No es posible determinar si hay una fractura en esta imagen."),
    ("¿Hay una fractura?", "Es difícil decir si hay una fractura en la radiografía."),
    ("C'è una frattura?", "Non posso analizzare o fornire informazioni sull'immagine."),
    ("L'immagine è vuota. Che cosa mostra?", "L'immagine è vuota, quindi non esiste alcun reperto."),
    ("有骨折吗？", "图像中没有足够的信息来确定是否有骨折。"),
    ("有骨折吗？", "很难说这张图片有没有骨折。"),
    # steps, and how images are made
    ("Is there a midline shift?", "1. **Mark the midline**: Use a ruler to mark the midline in the image."),
    ("Is there a midline shift?", "The T2 image is acquired using a spin echo sequence."),
    ("Gibt es eine Fraktur?", "Vergleichen Sie beide Seiten des Bildes."),
    ("Ist das eine MRT?", "Das Bild wurde mit einem großen Magneten aufgenommen."),
    ("Est-ce une IRM ?", "L'IRM est un examen d'imagerie."),
    ("Y a-t-il une fracture ?", "Une fracture peut être visible sur une radiographie."),
    ("¿Hay una fractura?", "Los huesos se ven blancos en las radiografías."),
    ("È una risonanza?", "La risonanza magnetica è una tecnica di imaging."),
]


@pytest.mark.parametrize(("question", "reply"), GENERAL)
def test_what_is_said_of_any_case_is_no_claim(question, reply):
    """Definitions, uses, places of organs, doubt, conditions, bare answers and diagnoses say nothing of this case."""
    assert claims(question, reply) == ()


FLAT = "The aorta is dilated."


def test_what_the_question_told_is_no_claim():
    """Only what it asks is not told."""
    assert claims("The aorta is dilated. What is the cause?", FLAT) == ()
    assert claims("Look at the aorta. Is it dilated?", FLAT) == (FLAT,)


def test_flat_statements_are_not_read_where_the_question_tells_of_a_case():
    """Of a patient whose history is told, much can be said without seeing anything; without a question, too."""
    history = (
        "A man of 64 with hypertension and diabetes is brought in with sudden tearing chest pain, a cold left arm, "
        "hoarseness and a diastolic murmur at the sternal border. Is the aorta dilated?"
    )
    assert claims(history, FLAT) == ()
    assert read_claims(FLAT) == ()
    assert claims(history, "The CT shows a dilated aorta.") != ()


def test_a_report_is_read_to_its_end_and_a_lecture_is_left():
    """Flat statements that follow one another all count; after sentences on other things they no longer do."""
    report = "The heart is enlarged. The lungs are clear. There is no pneumothorax. The bones are intact."
    lecture = "Hearts are pumps. Blood returns from the lungs. Valves open and close. The heart is enlarged."
    assert len(claims("What do you see?", report)) == 4
    assert claims("What do you see?", lecture) == ()
