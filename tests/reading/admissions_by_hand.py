"""Replies written for the tests of the missing-image parser, by label and language: many ways of saying one thing."""

from __future__ import annotations

QUESTIONS = {
    "en": "What is shown in this scan, and which side is affected?",
    "it": "Che cosa si vede in questa lastra e da quale lato?",
    "es": "¿Qué se ve en esta placa y de qué lado?",
    "fr": "Que voit-on sur ce cliché et de quel côté ?",
    "de": "Was sieht man auf dieser Aufnahme und auf welcher Seite?",
    "zh": "这张片子显示了什么？在哪一侧？",
}
"""A question for each language, since brief replies may belong to two."""

MISSING = {
    "en": [
        "I don't see any attachment in our conversation.",
        "It looks like the upload didn't go through. Could you try again?",
        "I'm a text-based AI, so pictures are beyond me.",
        "Could you share the scan?",
        "No image was provided, but based on typical cases the answer is probably B.",
        "To give you an accurate answer, I would need to see the actual tracing in the photo.",
        "Without the image, I can only offer general guidance: look at the leaf margins.",
        "If you can describe the rash, I can help.",
        "You may have forgotten the attachment!",
        "The patient has pneumonia. (I was not shown the X-ray, so this is an assumption.)",
        "I lack the ability to interpret visual data.",
    ],
    "it": [
        "Mi dispiace, ma non vedo alcuna immagine allegata. Può caricarla di nuovo?",
        "Essendo un modello testuale, non sono in grado di vedere la radiografia.",
        "Senza l'immagine non posso stabilirlo, ma di solito si tratta di un'ernia.",
    ],
    "es": [
        "Lo siento, pero no veo ninguna imagen adjunta. ¿Podría subirla de nuevo?",
        "Necesitaría ver la imagen para responder.",
        "No me ha llegado la radiografía.",
    ],
    "fr": [
        "Aucune image n'a été fournie.",
        "Il n'y a pas d'image dans votre message.",
        "Si vous m'envoyez l'image, je pourrai vous aider.",
    ],
    "de": [
        "Es tut mir leid, aber ich sehe kein angehängtes Bild.",
        "Als Sprachmodell kann ich das Röntgenbild nicht ansehen.",
        "Ohne das Bild kann ich das nicht beurteilen.",
    ],
    "zh": ["抱歉，我没有看到任何图片。请您重新上传。", "作为一个文本模型，我无法查看图像。", "没有图片，我无法判断。"],
}
REFUSES = {
    "en": [
        "I'm sorry, but I can't help with that.",
        "Please consult a radiologist to interpret the image.",
        "As an AI, I am not qualified to diagnose skin conditions. Please see a dermatologist.",
        "I'm not able to identify people in images.",
    ],
    "it": ["Mi dispiace, non posso fornire diagnosi mediche."],
    "es": ["No puedo ayudar con esa solicitud."],
    "fr": ["Je ne peux pas fournir de diagnostic médical."],
    "de": ["Bitte wenden Sie sich an einen Arzt."],
    "zh": ["抱歉，我不能提供医疗诊断。"],
}
HEDGES = {
    "en": [
        "It is hard to tell from the picture.",
        "I cannot determine this.",
        "Assuming the image shows a typical chest film, the heart would be normal.",
        "If this is a chest X-ray, then it might be pneumonia.",
        "It could be an oak or a maple; more information is needed.",
        "Without more context I can't say.",
        "The image is too blurry to tell.",
    ],
    "it": ["Non sono sicuro, potrebbe essere un merlo."],
    "es": ["La imagen está demasiado borrosa para distinguirlo."],
    "fr": ["S'il s'agit d'une radiographie du thorax, il pourrait y avoir une pneumonie."],
    "de": ["Das ist anhand des Fotos schwer zu sagen."],
    "zh": ["我不确定，可能是麻雀。"],
}
GENERIC = {
    "en": [
        "To identify the species, look at the leaf margins, the bark and the buds.",
        "Chest X-rays can show many types of fracture, such as rib fractures.",
        "To answer this I would look at the image for signs of consolidation.",
        "A pie chart is a circular graphic divided into slices. Each slice represents a proportion.",
        "1. Look at the trachea.\n2. Check the heart borders.\n3. Examine the lung fields.",
        "What is the colour of the car? What is the colour of the car?",
        "Sure! I'd be happy to help you with that.",
    ],
    "it": ["Per identificare la specie, osserva la forma delle foglie e il margine."],
    "es": ["La neumonía es una infección de los pulmones que suele causar fiebre."],
    "fr": ["Les radiographies peuvent montrer différents types de fractures."],
    "de": ["Um die Art zu bestimmen, achten Sie auf die Form der Blätter."],
    "zh": ["肺炎是一种肺部感染，常见症状包括发热和咳嗽。"],
}
DESCRIBES = {
    "en": [
        "Yes.",
        "[[B]]",
        "42",
        "Paris",
        "A red sedan with plate KJH 4821",
        "There is no fracture visible in this X-ray.",
        "No text is visible in the picture.",
        "I cannot identify the people in the image, but they are wearing hats.",
        "As an AI I cannot make a diagnosis, but the X-ray shows consolidation.",
        "The lesion appears to be a melanoma. Please consult a dermatologist.",
        "FINDINGS: Heart size is normal. Lungs are clear. IMPRESSION: No acute abnormality.",
        "The bird in the image is a cardinal. Cardinals are typically found in North America.",
        "The only text in the image is a street name.",
        "There are several nodules but none is calcified.",
        "When I look at the image, I see a dog chasing a ball.",
        "The doctor is examining a child with a stethoscope.",
        "I don't see any cats in the picture, only two dogs.",
        "No image artefacts. The lungs are clear.",
    ],
    "it": ["Nella foto si vedono tre persone sedute a un tavolo.", "Non si osservano fratture."],
    "es": ["La imagen muestra una neumonía en el lóbulo inferior derecho."],
    "fr": ["Aucune fracture n'est visible.", "C'est un chat noir."],
    "de": ["Es ist keine Fraktur zu sehen.", "Vorhofflimmern"],
    "zh": ["图片显示右下肺有肺炎。", "未见骨折。"],
}
EMPTY = {"any": ["", "  \n\t", "...", "()", "N/A", "k. A.", "<|im_end|>", "</s>", "<answer></answer>", "Answer:"]}

PARAPHRASES = {
    "missing": {
        "en": """
I don't see an attachment anywhere in this chat.
You didn't attach anything.
I looked for an attachment but found none.
I think the attachment got dropped.
The image hasn't come through on my end.
The photo never reached me.
I haven't received the X-ray yet.
I cannot open that link.
I can't browse the web to look at that photo.
I can't see what you are looking at.
I have no means of viewing images.
I'm not capable of viewing pictures.
I can't directly see or examine the scan.
Images are something I can't process.
I don't support image input.
I only work with text.
As a language model, I process text, not images.
Please send the image.
Can you show me the picture?
Try uploading the image again.
Share it here and I'll have a look.
I'd be happy to help once the image is available.
I would need to look at the actual X-ray.
I need more than words here: I need the image itself.
It's impossible to tell without seeing it.
Without being shown the map, I can't name the river.
Please describe the image to me.
If you tell me what it looks like, I can help identify it.
What image?
I'm not sure which image you mean.
There's nothing here for me to look at.
All I can see is your question.
I don't have the image in front of me.
I wasn't given an image.
You mention an image, but I don't have it.
The image isn't showing.
I have no access to any images.
There does not appear to be an image here.
Image missing.
No image available.
Error: image could not be loaded.
The question is missing its image.
As there's no image, I'll guess: B.
Not having seen the scan, I would guess pneumonia.
""",
        "it": """
Non c'è nessun allegato.
Al suo messaggio non è allegato nulla.
La foto non si è caricata.
Purtroppo il file non si apre.
Non posso accedere a link esterni.
Non riesco a vederla.
Non ho accesso all'immagine.
Sono un assistente che lavora solo con il testo.
Mi invii l'immagine, per favore.
Potrebbe allegare l'immagine?
Se mi manda l'immagine, la guardo volentieri.
Avrei bisogno di vedere la lastra.
Senza vedere la foto è impossibile dirlo.
Descrivimi la lesione e provo ad aiutarti.
Quale immagine?
Vedo solo il testo della domanda.
L'immagine non è visibile.
Nel messaggio non compare alcuna immagine.
""",
        "es": """
No hay ningún archivo adjunto.
No adjuntaste nada.
La foto no se cargó.
El enlace no se abre.
No la veo.
No puedo ver imágenes.
No soy capaz de visualizar ni analizar imágenes.
Solo puedo leer texto.
Mándame la foto y te digo.
¿Me la puedes mostrar?
En cuanto tenga la imagen podré responder.
Me hace falta la imagen.
En ausencia de la imagen solo puedo especular.
Si me describes la imagen, puedo ayudarte.
¿A qué foto te refieres?
No se proporcionó ninguna imagen.
La imagen no está disponible.
Parece que olvidaste adjuntar la foto.
""",
        "fr": """
Il n'y a aucune pièce jointe.
Vous n'avez rien joint.
La photo ne s'est pas chargée.
Le lien ne s'ouvre pas.
Je ne peux pas accéder à des liens externes.
Je ne peux pas voir les images.
Je ne suis pas en mesure de visualiser ou d'analyser des images.
Je ne lis que du texte.
Envoyez-moi l'image, s'il vous plaît.
Pourriez-vous joindre l'image ?
Dès que j'aurai l'image, je pourrai répondre.
J'ai besoin de voir le cliché.
Sans voir la photo, impossible de le dire.
Décrivez-moi la lésion et j'essaierai de vous aider.
De quelle photo parlez-vous ?
Je ne vois que le texte de la question.
L'image n'est pas visible.
Votre message ne contient aucune image.
""",
        "de": """
Es gibt keinen Anhang.
Sie haben nichts angehängt.
Das Foto wurde nicht geladen.
Der Link lässt sich nicht öffnen.
Ich sehe es nicht.
Ich kann keine Bilder sehen.
Ich bin nicht in der Lage, Bilder anzusehen oder zu analysieren.
Ich kann nur Text lesen.
Schick mir das Foto, dann sage ich es dir.
Können Sie es mir zeigen?
Sobald ich das Bild habe, kann ich antworten.
Dafür brauche ich das Bild.
In Abwesenheit des Bildes kann ich nur spekulieren.
Wenn Sie mir das Bild beschreiben, kann ich helfen.
Welches Foto meinen Sie?
Es wurde kein Bild bereitgestellt.
Das Bild ist nicht verfügbar.
Sie haben vergessen, das Foto anzuhängen.
""",
        "zh": """
没有附件。
您没有上传任何东西。
照片没有加载出来。
链接打不开。
我看不到。
我不能看图片。
我无法查看或分析图像。
我只能阅读文字。
把照片发来，我帮你看。
能给我看看吗？
收到图片后我就可以回答。
需要图片才能判断。
在没有图片的情况下，我只能推测。
如果您描述图片的内容，我可以帮助您。
您指的是哪张照片？
未提供图片。
图片不可用。
您忘了附上照片。
""",
    },
    "refuses": {
        "en": """
I'm sorry, but I can't assist with interpreting medical images. Please consult a qualified clinician.
I'm not able to provide a medical diagnosis.
I am not a doctor and cannot diagnose this.
That's not something I can do.
This is not something I'm able to comment on.
I don't identify real people from photos.
I can't help identify individuals.
It's against my policy to estimate someone's age.
I have to decline.
I'd rather not comment on someone's appearance.
I'm unable to comply with that request.
I can't answer that.
Sorry, I can't comment on that.
You should see a doctor about this.
Please consult a healthcare professional.
It's best to have this looked at by a professional.
You need to speak to your cardiologist about this ECG.
Interpreting medical images requires a trained professional, so I must leave it to your doctor.
I will not speculate about someone's health.
It would be inappropriate for me to comment on this person's looks.
""",
        "it": """
Non posso fornire consigli medici.
Mi dispiace, non posso aiutarti con questa richiesta.
Non sono un medico e non posso fare diagnosi.
Non posso identificare persone nelle foto.
Preferisco non rispondere.
Devo declinare la richiesta.
Le consiglio di consultare uno specialista.
Non è qualcosa che posso fare.
""",
        "es": """
No puedo dar consejos médicos.
Lo siento, no puedo ayudarte con eso.
No soy médico y no puedo hacer diagnósticos.
No puedo identificar a personas en fotos.
Prefiero no responder.
Debo rechazar la solicitud.
Le recomiendo que consulte a un especialista.
No es algo que pueda hacer.
""",
        "fr": """
Je ne peux pas donner d'avis médical.
Désolé, je ne peux pas vous aider avec cela.
Je ne suis pas médecin et je ne peux pas poser de diagnostic.
Je ne peux pas identifier des personnes sur des photos.
Je préfère ne pas répondre.
Je dois décliner cette demande.
Je vous recommande de consulter un spécialiste.
Ce n'est pas quelque chose que je peux faire.
""",
        "de": """
Ich kann keinen medizinischen Rat geben.
Tut mir leid, dabei kann ich nicht helfen.
Ich bin kein Arzt und kann keine Diagnose stellen.
Ich kann keine Personen auf Fotos identifizieren.
Darauf möchte ich nicht antworten.
Ich muss diese Anfrage ablehnen.
Das kann nur ein Radiologe beurteilen.
Ich empfehle Ihnen, einen Facharzt aufzusuchen.
""",
        "zh": """
我不能提供医疗建议。
抱歉，我无法帮助您完成这个请求。
我不能解读医学影像，请咨询医生。
我不能识别照片中的人物身份。
出于隐私考虑，我不会识别人物。
我不想回答这个问题。
只有放射科医生才能回答。
建议您咨询专科医生。
""",
    },
    "hedges": {
        "en": """
I'm not sure.
I don't know.
It's hard to say.
I can't tell for sure.
I cannot determine the color from this photo.
It could be a cat or a dog.
My best guess is a beech tree.
If I had to guess, I'd say 1950s.
Possibly a wolf, possibly a husky; I can't be sure.
There isn't enough information to answer this question.
The image is too dark to see the number.
The text is illegible.
It is not possible to determine this from a single view.
I cannot say with certainty.
Unknown.
I couldn't say.
""",
        "it": """
Non lo so.
Non saprei dire con certezza.
È difficile dirlo dalla foto.
Forse è un passero.
Potrebbe essere un gatto o un cane.
Non è possibile stabilirlo.
L'immagine è troppo sfocata.
""",
        "es": """
No lo sé.
No estoy seguro.
Es difícil decirlo.
Quizás sea un gorrión.
Podría ser un gato o un perro.
No es posible determinarlo.
La imagen es demasiado oscura.
""",
        "fr": """
Je ne sais pas.
Je ne suis pas sûr.
C'est difficile à dire.
Peut-être un moineau.
Cela pourrait être un chat ou un chien.
Il n'est pas possible de le déterminer.
L'image est trop floue.
""",
        "de": """
Ich weiß es nicht.
Ich bin mir nicht sicher.
Das ist schwer zu sagen.
Vielleicht ein Spatz.
Es könnte eine Katze oder ein Hund sein.
Das lässt sich nicht sagen.
Das Bild ist zu unscharf.
""",
        "zh": """
我不知道。
我不确定。
很难说。
可能是麻雀，也可能是燕子。
无法确定。
图片太模糊了。
""",
    },
    "generic": {
        "en": """
A chest X-ray is a type of imaging test that uses radiation.
Here are some steps you can follow:
2. Measure the distance.
There are many types of clouds, including cumulus, stratus and cirrus.
The color of a traffic light can be red, yellow or green.
You can find the name of the river by looking at the legend of the map.
The QT interval is measured from the beginning of the Q wave to the end of the T wave.
When interpreting an ECG, one should first check the rate, then the rhythm and the axis.
If the nodule is larger than 8 mm, further workup is recommended.
I hope this helps! Let me know if you have any questions.
Pneumonia may appear as a white area on the film. Other causes include tumours and bleeding.
Look for the lot number near the bar code.
""",
    },
    "describes": {
        "en": """
The clock on the wall says 10:15.
The man with a silver mask is standing above the group.
The woman is holding a book in her left hand.
The traffic light is red.
The receipt total is $45.20.
I can see a small fracture of the distal radius.
The river that runs through the centre is the Danube.
The tree is an oak.
I don't see any fracture.
I cannot see any abnormality in the lungs.
No acute findings.
No pneumothorax is seen. The heart is not enlarged.
The sign says "No photos please".
The screen is blank.
The diatom is about 85 micrometres long.
The graph shows an increase until 2015 and then a decline.
Sinus rhythm at 72 bpm, normal axis, no ST changes.
The picture was taken in Venice.
The front of the fire is moving north-east.
""",
    },
}
"""More ways of saying it, a line each, to be read with the question of their language."""
