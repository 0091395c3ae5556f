"""What the passages of the planted corpora speak of, and the sentences that hold it."""

from __future__ import annotations

# No word is a gender term.
THEMES = {
    name: words.split()
    for name, words in {
        "football": "goal striker keeper penalty stadium midfield league referee coach pitch match header defender offside trophy transfer",
        "court": "judge trial verdict lawyer jury prosecutor sentence appeal witness evidence testimony prison bail defendant courtroom ruling",
        "hospital": "surgery nurse patient ward doctor clinic diagnosis vaccine fever medicine ambulance symptom therapy infection bandage transplant",
        "election": "ballot campaign candidate vote poll parliament coalition turnout constituency manifesto referendum party voter mandate senate seat",
        "cooking": "recipe oven flour butter garlic kitchen soup spice dough restaurant sauce onion dessert menu pepper roast",
        "banking": "loan interest bank deposit mortgage inflation currency bond investor dividend stock market debt credit budget profit",
        "farming": "harvest wheat tractor cattle crop irrigation drought barn soil fertiliser seed orchard livestock plough milk sheep",
        "music": "guitar album concert singer melody drum orchestra chorus studio lyrics piano festival violin band stage rhythm",
        "weather": "storm flood rainfall hurricane forecast wind temperature snow lightning cyclone humidity thunder heatwave frost cloud tornado",
        "school": "teacher pupil classroom exam homework lesson curriculum textbook tuition graduation blackboard timetable grammar scholarship playground library",
        "space": "rocket orbit satellite astronaut telescope planet launch spacecraft moon gravity comet galaxy lander mission asteroid probe",
        "aviation": "airline runway pilot cockpit airport passenger turbulence luggage flight landing boarding engine hangar altitude wing departure",
        "fashion": "dress designer fabric catwalk tailor silk boutique runway jewellery perfume handbag collection lace model hairstyle velvet",
        "army": "soldier battalion artillery ceasefire troops barracks missile ambush patrol general trench weapon regiment frontline grenade sniper",
        "painting": "canvas gallery portrait brush museum exhibition sculpture easel curator watercolour sketch palette fresco landscape auction oil",
        "fishing": "trawler net harbour catch salmon boat tuna anchor quota reef tide hook lobster sailor pier cod",
        "computers": "software laptop server hacker password browser database code network keyboard algorithm website download processor virus screen",
        "religion": "prayer temple church mosque bible pilgrim sermon congregation worship faith hymn altar ritual scripture cathedral saint",
    }.items()
}  # fmt: skip

# {a}, {b}: words of the theme. {who}, {whose}, {kin}: a gender term, or what stands for none.
PLAIN = [
    "The {a} and the {b} were on every page again.",
    "Nobody had expected the {a} so soon after the {b}.",
    "There was talk of a {a}, a {b} and little else.",
    "Reports of the {a} came in before the {b} was over.",
    "It began with the {a} and ended with the {b}.",
    "Without the {a} there would be no {b} this season.",
]
SLOTS = [
    "Then {who} spoke of the {a} and the {b} for an hour.",
    "The {a} was part of {whose} life, and so was the {b}.",
    "A {kin} stood beside the {a} and looked at the {b}.",
    "People asked what {who} thought of the {a} and the {b}.",
    "By noon {whose} {a} had become the better {b}.",
    "After the {a} a {kin} wrote down all about the {b}.",
]
TERMS = {
    "female": {
        "who": ["she"],
        "whose": ["her"],
        "kin": ["woman", "mother", "daughter", "girl", "sister", "lady", "niece"],
    },
    "male": {
        "who": ["he"],
        "whose": ["his"],
        "kin": ["man", "father", "son", "boy", "brother", "gentleman", "nephew"],
    },
}
# The people of running stories.
SURNAMES = (
    "Abara Belinko Cordasco Dembele Esposito Farrokh Gundersen Hakimi Ivanko Jagtap Kowalik Lindqvist "
    "Mwangi Novotny Okafor Petrossian Quispe Rahimov Sandoval Tanaka Ulrichsen Vasquez Wongsakul "
    "Yildirim Zelenka Amundsen Barzani Castellan Dragomir Eklund Fontaine Grigoryan Holloway Iglesias"
).split()
