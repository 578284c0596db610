"""Spanish words, and the Portuguese ones nearest to them, by what they do in a reply to a question about an image."""

from __future__ import annotations

from snellen.reading.language.patterns import word_set

COMMON = word_set(
    "el los las una un del que y es no en con por para se lo su al puedo esta este como más hay me si la de muestra "
    "são não uma você com está son"
)

ROLES = {
    "not": "no nunca ni não nao nem",
    "cannot": "imposible incapaz impossível",
    "no": "ningún ninguna ninguno nada nenhuma nenhum",
    "without": "sin ausencia sem",
    "able": "capaz capacidad posible posibilidad manera diseñad* programad* condiciones capacidade possível medida",
    "can": "atrevo pueda puedo logro podemos puedes consigo posso poder podrías pude",
    "may": "debo podría podrían debería deberían debe deben conviene sería serían habría deberías debes puede pueden "
    "pode",
    "see": "ver verla verlo verlas visualizar* observar* abrir abrirlo abrirla acceso acceder mirar mirarla veo "
    "percibir acessar visualizo miro",
    "analyse": "proceso analizar* interpretar* procesar* leer examinar* evaluar* analizo interpreto procesarlas "
    "analisar* processar informar valorar",
    "tell": "identifico afirmarlo determinar* decir decirte decirle decirlo identificar* confirmar* responder* "
    "establecer* concluir distinguir reconocer asegurar afirmar indicar precisar clasificar sé dizer decantarme "
    "elegir decidir sabría descartar saber*",
    "get": "recibido recibí recibo encuentro encontrar llegado llegó recebi detecto recibir",
    "given": "adjuntaste proporcionó adjunt* proporcionad* incluid* cargad* compartid* enviad* subid* subió "
    "insertad* anexad* fornecid* carregad* suministrad* cargó adjuntado mandado mandaste enviaste",
    "visible": "visible* observan aprecia aprecian ve ven presente presentes evidente evidentes distingue distinguen "
    "identifican mostrad* nota notan evidencia evidencian visualiza visualizan aparece aparecen visível",
    "load": "abre viene llegar carga llega",
    "fail": "error falló fallo",
    "send": "mánda* manda mande subir* subas sube suba súbela súbala cargar* adjuntar* adjunta adjunte adjuntes "
    "enviar* envíame envíe envía envíes reenviar* reenvíe mandar mandarme pega pegar anexar envie envi péga* enví* "
    "envi*",
    "give": "emitir ofrecer doy darte proporcionar* proporcione proporciona proporciones compartir* comparte "
    "comparta compartas dar darme mostrar mostrarme muéstrame facilitar* facilite pasar pasarme incluir brindar "
    "brindarme forneça compartilhe facilitas poner",
    "describe": "describ* descríb* descripción descripciones descrev* descrição",
    "ask": "intent* favor amable amablemente porfavor",
    "if": "si",
    "suppose": "suponiendo supongamos asumiendo asumamos supongo presumiblemente imaginando hipotéticamente",
    "need": "necesito necesitaría necesario necesaria requiere requeriría necesitamos necesita requieren preciso "
    "tendría tendrías",
    "want": "gustaría encantado encantada gusto gustoso encantaría quisiera",
    "i": "yo me mi eu tengo he estoy soy",
    "we": "nosotros nos",
    "you": "tú usted te le has você",
    "your": "tu su vuestra",
    "the": "el la los las lo al os as ese esa esos",
    "this": "este esta estos estas esto",
    "a": "un una unos unas algún alguna uma um",
    "in": "en con por sobre desde entre em na tras después",
    "picture": "imagen foto fotografía archivo adjunto figura imagem captura",
    "pictures": "imágenes fotos fotografías archivos figuras imagens",
    "study": "enlace enlaces url frotis radiografía radiografías tac tc rm resonancia ecg electrocardiograma trazado "
    "portaobjetos laminilla gráfico gráfica mapa cuadro pintura esquema dibujo diagrama ecografía video vídeo "
    "documento placa estudio preparación tomografía escáner mamografía lámina",
    "flaw": "artefactos artefacto ruido calidad resolución",
    "show": "muestra muestran representa representan presenta presentan retrata contiene indica indican sugiere "
    "sugieren revela revelan ilustra demuestra corresponde mostrando mostra trata lleva",
    "is": "es son era eran está están é",
    "be": "ser sido parece parecen estar",
    "there": "hay existe existen había há haya",
    "it": "ello eso él ella se",
    "have": "tenga tiene tienen ha han tener tem dispongo",
    "usually": "sirven sirve generalmente típicamente normalmente frecuentemente menudo suele suelen comúnmente "
    "general ejemplo factores depende dependen típico caracteriza* pasos consejos siguientes incluyen utiliza "
    "importante fundamental define categorías habitualmente veces dividen clasifican divide clasifica usan usa "
    "utilizan reconocen reconoce varía varían variar basa basan",
    "do": "hacer observa observe revisa revise revisar comprueba compruebe comprobar verifica verificar verifique "
    "considera considere compara compare comparar busca busque buscar use usar cuenta cuente contar mide medir mida "
    "mira mire fíjate fíjese evalúa evalúe examina examine comienza comience sigue siga recuerda lee identifica "
    "identifique",
    "to": "a ao para",
    "sure": "seguro segura certeza exactitud precisión cierto definitivo definitiva certero seguridad claro",
    "unsure": "incierto incertidumbre duda dudas dudo ambiguo ambigua inseguro ilegible*",
    "hard": "difícil complicado complejo",
    "guess": "adivinar suposición especular conjetura aventurar",
    "maybe": "quizá quizás acaso talvez",
    "blur": "borros* oscur* pixelad* desenfocad*",
    "poor": "mala baja pobre insuficiente* limitad*",
    "enough": "suficiente* claramente nítida bastante",
    "more": "más adicional adicionales mayor mais",
    "different": "otra otras otros otro",
    "info": "información contexto detalles datos antecedentes",
    "help": "ayudar* asistir cumplir ajudar",
    "decline": "rechaz* declin* prefiero",
    "medical": "valoraciones clínic* asesoramiento médica médicas diagnóstico diagnósticos diagnosticar consejo "
    "tratamiento opinión",
    "doctor": "*ólogo *óloga médico médicos radiólogo dermatólogo especialista cardiólogo profesional oftalmólogo "
    "experto neurólogo doctor veterinario patólogo",
    "consult": "recomiendo consult* acud* contact* dirígete diríjase visite",
    "sorry": "siento lamento disculpa disculpe perdón lamentablemente desafortunadamente desculpe",
    "text": "texto textual textos",
    "bot": "ia ai modelo asistente lenguaje inteligencia",
    "only": "solo sólo solamente únicamente exclusivamente",
    "sight": "vista ojos visuales visual visión",
    "forget": "olvidado olvidaste olvidó olvidaron",
    "blank": "blanco vacía vacío falta ausente dañad* corrupt*",
    "what": "qué cuál que",
    "message": "mensaje conversación chat solicitud pregunta consulta",
    "answer": "respuesta",
    "yes": "sí sim verdadero falso",
    "but": "pero aunque obstante embargo mas",
    "or": "o u",
    "and": "y e",
    "people": "personas persona individuos identidad rostros",
    "thanks": "gracias hola",
    "kind": "tipo tipos parte órgano estructura sistema método técnica afección enfermedad grupo prueba ciencia "
    "clase categoría familia instrumento forma infección",
    "finding": "normal normales derecha izquierda derecho izquierdo bilateral leve moderada moderado aumentad* "
    "conservad* regular rojo roja azul verde amarillo superior inferior",
    "shade": "negro negra",
    "here": "aquí acá delante",
    "number": "dos tres cuatro cinco seis siete ocho nueve diez",
    "every": "cada todos todas",
    "adverb": "*mente",
    "many": "muchos muchas varios varias diversos diferentes mayoría",
    "available": "disponible* accesible*",
    "of": "del de da do",
    "when": "cuanto cuando",
    "so": "entonces tanto",
    "rules": "permit* política políticas normas privacidad cualificad* autorizad* capacitad*",
    "analysing": "analizando observando mirando",
}


DETECTION = {
    "normal": "normales sanos sanas saludable",
    "abnormal": "anormal anormalidad patología enfermedad enfermedades neumonía tumores",
    "finding": "opacidad opacidades masa lesión lesiones consolidación derrame infiltrado infiltrados hemorragia",
    "sound": "limpios limpio despejados conservados",
    "no": "sin ningún ninguna ni ausencia",
    "may": "quizá podría",
    "can": "puedo puede posible",
    "cannot": "imposible difícil",
    "picture": "imagen radiografía resonancia",
    "be": "es está están son parece",
    "see": "observa observan ve ven hay muestra aprecia aprecian signos",
    "spoilt": "ruidosa granulada ilegible sobreexpuesta subexpuesta",
    "spoilable": "borrosa borroso movida oscura degradada distorsionada",
    "artefact": "artefactos artefacto ruido",
    "quality": "calidad resolución nitidez",
    "bad": "mala baja pobre insuficiente deficiente",
    "tell": "concluir determinar interpretar valorarla valorar evaluar interpretarse decir",
    "concluding": "conclusión respuesta",
    "so": "tanto",
    "diagnosis": "diagnóstico diagnósticos",
    "medical": "médica médicos",
    "doctor": "médico radiólogo especialista profesional",
    "consult": "consulte consultar acuda",
    "provide": "dar ofrecer proporcionar hacer",
    "sorry": "siento lamento",
    "but": "pero aunque",
    "too": "muy demasiado",
}
"""Words by what they do in a response to a detection question, in roles of their own: short forms."""
