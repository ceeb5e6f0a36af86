/**
 * The two joiners, U+200C and U+200D, where writing uses them: there they change how their neighbours look, so they hide
 * nothing. The rules are those of Unicode's UAX #31 (A1, A2, B), and one for emoji. Patterns of regular expressions.
 */
const ARABIC = String.raw`\u0620\u0622-\u063f\u0641-\u064a\u066e-\u0673\u0675-\u06d3\u06fa-\u06ff\u0750-\u077f`
/** Letters that do not join to the next one. */
const ENDS_A_STROKE = String.raw`\u0621-\u0625\u0627\u0629\u062f-\u0632\u0648\u0671-\u0677\u0688-\u0699\u06c0\u06c3-\u06cb\u06cd\u06cf\u06d2\u06d3\u06ee\u06ef`
const INDIC = String.raw`\u0900-\u0dff`
const VIRAMA = String.raw`[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca]`
const PICTURE = String.raw`(?=[\u2190-\u{1faff}])\p{Extended_Pictographic}`

export const JOINERS: readonly string[] = [
  // Persian: keeps two letters apart that would join.
  String.raw`\u200c(?<=(?![${ENDS_A_STROKE}])[${ARABIC}]\p{Mn}{0,4}\u200c)(?=[${ARABIC}])`,
  // Hindi and its relatives: half of a letter, or a whole one beside its sign.
  String.raw`\u200c(?<=[${INDIC}]${VIRAMA}\u200c)(?=[${INDIC}])`,
  String.raw`\u200d(?<=[${INDIC}]${VIRAMA}\u200d)(?![\u200c\u200d])`,
  String.raw`\u200d(?<=[\u0980-\u09ff]\u200d)(?=\u09cd)`,
  // Several pictures as one.
  String.raw`\u200d(?<=${PICTURE}[\ufe0f\p{Emoji_Modifier}]?\u200d)(?=${PICTURE})`,
  // A sign that is a letter or a picture, as a picture.
  String.raw`\ufe0f(?<=(?!\p{Emoji_Presentation})${PICTURE}\ufe0f)`,
]
