/**
 * Letters and digits that look like letters of the Latin alphabet, by what they look like: those of `confusables.txt` of
 * Unicode Technical Standard 39 that NFKC leaves as they are. (© Unicode, Inc., Unicode License V3.)
 */
// biome-ignore format: one line for each
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: 'ɑΑαАаᎪᗅꓮ𐊠𖽀',
  aa: 'Ꜳꜳ',
  ae: 'ÆæӔӕ',
  ao: 'Ꜵꜵ',
  au: 'Ꜷꜷ',
  av: 'ꜸꜹꜺꜻ',
  ay: 'Ꜽꜽ',
  b: 'ƄΒВЬᏏᏴᖯᗷꓐꞴ𐊂𐊡𐌁',
  bl: 'Ы',
  c: 'ΣςСсᏟᴄⲤⲥꓚꮯ𐊢𐌂𐐕𐐽𐔜𑣩𑣲',
  d: 'ԁᎠᏧᑯᗞᗪꓒꓓ',
  dz: 'ʣ',
  e: 'ΕЕеҽᎬⴹꓰꬲ𐊆𑢦𑢮',
  f: 'ϜքᖴẝꓝꞘꞙꬵ𐊇𐊥𐔥𑢢𑣂',
  g: 'ƍɡԌցᏀᏳᶃꓖ',
  h: 'ΗНнһհᎻᏂᕼⲎꓧ𐋏',
  i: 'ıɩɪιіӏᎥꙇꭵ𑣃',
  j: 'ͿϳЈјᎫᒍꓙꞲ',
  k: 'ΚКᏦᛕⲔꓗ𐔘',
  l: 'ƖǀΙІӀוןا١۱ߊᏞᒪᛁⲒⳐⵏꓡꓲ𐊊𐌉𐌠𐐛𐔦𑢣𑢲𖼖𖼨𞣇',
  ll: 'ǁװ',
  lo: 'Ю',
  ls: 'ʪ',
  lz: 'ʫ',
  m: 'ΜϺМᎷᗰᛖⲘꓟ𐊰𐌑',
  n: 'ΝոռⲚꓠ𐔓',
  o: 'ΟοσОоՕօסه٥ھہە۵߀०০੦૦ଠ୦௦౦೦ഠ൦๐໐ဝ၀ჿዐᴏᴑⲞⲟⵔ〇ꓳꬽ𐊒𐊫𐐄𐐬𐓂𐓪𐔖𑓐𑢵𑣈𑣗𑣠',
  oe: 'Œœ',
  oo: 'ꚘꚙꝎꝏ',
  p: 'ΡρРрᏢᑭⲢⲣꓑ𐊕',
  q: 'ԛգզⵕ',
  r: 'ƦгᎡᏒᖇᴦⲅꓣꭇꭈꮁ𐒴𖼵',
  rn: '𑜀𑣣',
  s: 'ƽЅѕՏᏕᏚꓢꜱꮪ𐊖𐐠𐑈𑣁𖼺',
  t: 'ΤТᎢⲦꓔ𐊗𐊱𐌕𑢼𖼊',
  tf: 'ꝷ',
  ts: 'ʦ',
  u: 'ʋυՍսሀᑌᴜꓴꞟꭎꭒ𐓎𐓶𑢸𑣘𖽂',
  ue: 'ᵫ',
  uo: 'ꭣ',
  v: 'νѴѵט٧۷Ꮩᐯᴠⴸꓦꛟꮩ𐔝𑜆𑢠𑣀𖼈',
  w: 'ɯѡԜԝաᎳᏔᴡꓪꮃ𑜊𑜎𑜏𑣦𑣯',
  x: 'ΧХхᕁᕽᚷⲬⵝꓫꞳ𐊐𐊴𐌗𐌢𐔧𑣬',
  y: 'ɣʏΥγУуҮүყᎩᎽᶌỿⲨꓬꭚ𐊲𑢤𑣜𖽃',
  z: 'ΖᏃᴢꓜꮓ𐋵𑢩𑣄𑣥',
}

const LOOKS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(LOOK_ALIKES).flatMap(([look, letters]) => Array.from(letters, letter => [letter, look] as const)),
  ...([
    ['I', 'l'],
    ['|', 'l'],
    ['1', 'l'],
    ['0', 'o'],
    ['m', 'rn'],
    ['M', 'rn'],
    ['w', 'vv'],
    ['W', 'vv'],
  ] as const),
])

/** The skeleton of a name: those of two names are equal if a reader could take one for the other. */
export function skeletonOf(name: string): string {
  // A letter may look like another one in either case.
  return looksOf(looksOf(name).toLowerCase())
}

function looksOf(text: string): string {
  return Array.from(text, letter => LOOKS.get(letter) ?? letter).join('')
}
