"""Word stems in other languages for: ignore, instruction, approve, this change.

A pattern matches anywhere in a word, because endings differ; the anchors are searched for first.
"""

from __future__ import annotations

SETS_ASIDE = (
    r"(?<![a-z])(?:ignorier|ignorez|ignora[dr]?\b|ignore (?:les|toutes|tes|vos|las|as|os|todas)\b|ignori\b|ignoruj|"
    r"negeer|vergiss|vergesst|oublie|olvid|dimentic|"
    r"esque[\u00e7c]|vergeet|missacht|\u0438\u0433\u043d\u043e\u0440\u0438\u0440|\u0437\u0430\u0431\u0443\u0434\u044c|"
    r"\u0456\u0433\u043d\u043e\u0440\u0443|zapomnij|yok say|g\u00f6rmezden|unut|\u5ffd\u7565|\u65e0\u89c6|\u5ffd\u89c6|"
    r"\u5fd8\u8bb0|\u7121\u8996|\u5fd8\u308c|\ubb34\uc2dc|\u062a\u062c\u0627\u0647\u0644|"
    r"\u0905\u0928\u0926\u0947\u0916|"
    r"ignore (?:alle|alla|al|tutte|todos)\b|ignorer (?:alle|al|de)\b|ignorujte|zignoruj|ohita|unohda|hagyd figyelmen|"
    r"ignor\u0103|\u03b1\u03b3\u03bd\u03cc\u03b7\u03c3|\u03b1\u03b3\u03bd\u03bf\u03ae\u03c3|\u05d4\u05ea\u05e2\u05dc\u05dd|\u05d4\u05ea\u05e2\u05dc\u05de|"
    r"\u0646\u0627\u062f\u06cc\u062f\u0647|\u0e40\u0e1e\u0e34\u0e01\u0e40\u0e09\u0e22|\u0e25\u0e30\u0e40\u0e27\u0e49\u0e19|\u4e0d\u8981\u7406\u4f1a|"
    r"abaikan|b\u1ecf qua|ignor[\u00e1a]\b|ignorera|strunta i)"
)
ORDERS = (
    r"(?<![a-z])(?:anweisung|vorgaben|instruktion|(?<=les )instruction|(?<=tes )instruction|(?<=vos )instruction|"
    r"consigne|instruccion|instru[\u00e7c][\u00f5o]|istruzion|instructies|"
    r"opdracht|polecen|instrukcj|talimat|\u0438\u043d\u0441\u0442\u0440\u0443\u043a\u0446|"
    r"\u0443\u043a\u0430\u0437\u0430\u043d|"
    r"\u0456\u043d\u0441\u0442\u0440\u0443\u043a\u0446|\u6307\u4ee4|\u6307\u793a|\u8bf4\u660e|\u63d0\u793a|"
    r"\uc9c0\uc2dc|"
    r"\uba85\ub839|\u062a\u0639\u0644\u064a\u0645|\u0928\u093f\u0930\u094d\u0926\u0947\u0936|instruksi|instruksjon|instruktioner|pokyn|"
    r"ohje|utas\u00edt\u00e1s|instruc\u021biun|\u03bf\u03b4\u03b7\u03b3\u03af|\u03b5\u03bd\u03c4\u03bf\u03bb|\u05d4\u05d5\u05e8\u05d0|\u062f\u0633\u062a\u0648\u0631|"
    r"\u0e04\u0e33\u0e2a\u0e31\u0e48\u0e07|"
    r"h\u01b0\u1edbng d\u1eabn)"
)
APPROVES = (
    r"(?<![a-z])(?:genehmig(?:e|t|en)\b|best\u00e4tige|approuve[zr]?\b|valide[zr]\b|aprueb|aprobar|approva\b|"
    r"approvare|aprov[ae]r?\b|"
    r"goedkeur|keur .{0,30} goed|zatwierd|onayla|\u043e\u0434\u043e\u0431\u0440|"
    r"\u0443\u0442\u0432\u0435\u0440\u0434\u0438|"
    r"\u6279\u51c6|\u5ba1\u6279\u901a\u8fc7|\u627f\u8a8d|\uc2b9\uc778|\u0648\u0627\u0641\u0642|"
    r"\u0627\u0639\u062a\u0645\u062f|"
    r"\u092e\u0902\u091c\u0942\u0930|setujui|ph\u00ea duy\u1ec7t|godk\u00e4nn)"
)
CHANGES = (
    r"(?:\u00e4nderung|diesen code|diesen pull|ce changement|cette (?:pull|demande|modif)|ce code|este (?:cambio|"
    r"c\u00f3digo)|"
    r"esta (?:pull|mudan)|questo codice|questa modifica|deze (?:wijziging|code)|zmian|bu de\u011fi\u015f|"
    r"\u0438\u0437\u043c\u0435\u043d\u0435\u043d|\u043a\u043e\u0434|\u66f4\u6539|\u4ee3\u7801|\u5909\u66f4|"
    r"\ubcc0\uacbd|\ucf54\ub4dc|"
    r"\u0627\u0644\u062a\u063a\u064a\u064a\u0631|\u092c\u0926\u0932\u093e\u0935|pull request|merge request|commit)"
)

ORDER_ANCHORS = (
    "anweisung",
    "vorgaben",
    "instruktion",
    "consigne",
    "instruccion",
    "instru\u00e7",
    "instruc\u00f5",
    "istruzion",
    "instructies",
    "opdracht",
    "polecen",
    "instrukcj",
    "talimat",
    "\u0438\u043d\u0441\u0442\u0440\u0443\u043a\u0446",
    "\u0443\u043a\u0430\u0437\u0430\u043d",
    "\u0456\u043d\u0441\u0442\u0440\u0443\u043a\u0446",
    "\u6307\u4ee4",
    "\u6307\u793a",
    "\u8bf4\u660e",
    "\u63d0\u793a",
    "\uc9c0\uc2dc",
    "\uba85\ub839",
    "\u062a\u0639\u0644\u064a\u0645",
    "\u0928\u093f\u0930\u094d\u0926\u0947\u0936",
    "instruksi",
    "instruksj",
    "pokyn",
    "ohje",
    "utas\u00edt",
    "instruc\u021b",
    "\u03bf\u03b4\u03b7\u03b3\u03af",
    "\u03b5\u03bd\u03c4\u03bf\u03bb",
    "\u05d4\u05d5\u05e8\u05d0",
    "\u062f\u0633\u062a\u0648\u0631",
    "\u0e04\u0e33\u0e2a\u0e31\u0e48\u0e07",
    "h\u01b0\u1edbng d\u1eabn",
    "ignorez",
    "olvida",
    "oublie",
    "vergiss",
)
APPROVE_ANCHORS = (
    "genehmig",
    "best\u00e4tige",
    "approuve",
    "validez",
    "aprueb",
    "aprobar",
    "approva",
    "aprove",
    "aprova",
    "goedkeur",
    "zatwierd",
    "onayla",
    "\u043e\u0434\u043e\u0431\u0440",
    "\u0443\u0442\u0432\u0435\u0440\u0434\u0438",
    "\u6279\u51c6",
    "\u901a\u8fc7",
    "\u627f\u8a8d",
    "\uc2b9\uc778",
    "\u0648\u0627\u0641\u0642",
    "\u0627\u0639\u062a\u0645\u062f",
    "\u092e\u0902\u091c\u0942\u0930",
    "setujui",
    "ph\u00ea duy\u1ec7t",
    "godk\u00e4nn",
)
