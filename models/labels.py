"""Names of those ImageNet classes that the photographs come near; the others are known by their number."""

NAMES = {
    107: "jellyfish", 110: "flatworm", 111: "nematode", 281: "tabby", 282: "tiger cat", 285: "Egyptian cat", 287: "lynx",
    309: "bee", 363: "armadillo", 429: "baseball", 442: "bell cote", 447: "binoculars", 450: "bobsled", 504: "coffee mug",
    535: "disc brake", 539: "doormat", 540: "drilling platform", 560: "football helmet", 573: "go-kart", 574: "golf ball",
    599: "honeycomb", 607: "jack-o'-lantern", 619: "lampshade", 646: "maze", 657: "missile", 663: "monastery", 665: "moped",
    670: "motor scooter", 698: "palace", 744: "projectile", 752: "racket", 805: "soccer ball", 812: "space shuttle",
    818: "spotlight", 828: "strainer", 855: "thimble", 872: "tripod", 892: "wall clock", 904: "window screen", 925: "consomme",
    947: "mushroom", 967: "espresso", 968: "cup", 971: "bubble", 985: "daisy",
}  # fmt: skip


def class_name(index: int) -> str:
    """A class's name, or its number."""
    return NAMES.get(index, f"class {index}")
