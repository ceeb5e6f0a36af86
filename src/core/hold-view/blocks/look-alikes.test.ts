import { expect, test } from 'vitest'
import { lookAlikeParts, lookAlikes, lookAlikeText } from './look-alikes.ts'

test.each([
  ['раураl.com', 'Latin and Cyrillic letters', 'xn--l-7sba6dbr.com'],
  ['https://раураl.com/pay', 'Latin and Cyrillic letters', 'xn--l-7sba6dbr.com'],
  ['gооgle', 'Latin and Cyrillic letters', 'xn--ggle-55da'],
  ['ana@раура.com', 'Cyrillic letters that look like Latin ones', 'xn--80aa0cbo.com'],
  ['ραypal.com', 'Latin and Greek letters', 'xn--ypal-zld9g.com'],
  ['ｐａｙｐａｌ.com', 'letters that only look like Latin ones', 'paypal.com'],
  ['𝐩aypal.com', 'letters that only look like Latin ones', 'paypal.com'],
  ['rm-сache', 'Cyrillic', ''],
  ['МICROSOFT', 'Cyrillic', ''],
  ['ΒANK.com', 'Greek', ''],
])('%s looks like another word', (text, holds, plain) => {
  const [found] = lookAlikes(`send it to ${text} now`)
  if (plain === '') return expect(found?.holds).toContain(holds)
  expect(found).toMatchObject({ holds, plain })
  expect(lookAlikeText(found as NonNullable<typeof found>)).toContain(plain)
})

test.each([
  'Привет, как дела?',
  'файл.txt',
  'münchen.de',
  'naïve café',
  'α = 0.05',
  '東京tower',
  'δx and Δy',
  '5 μm',
  'Ελλάδα',
  'пример.рф',
  'tests/größe.ts',
  'кафе-bar',
])('%s is what it looks like', text => {
  expect(lookAlikes(text)).toEqual([])
})

test.each([
  ['pay p\u0430yp\u0430l now', 'pay p[\u0430]yp[\u0430]l now'],
  ['\u043c\u0438\u0440 and g\u043e\u043egle', '\u043c\u0438\u0440 and g[\u043e\u043e]gle'],
  ['\u{1d429}aypal.com', '[\u{1d429}]aypal.com'],
  ['caf\u00e9', 'caf\u00e9'],
  ['', ''],
])('P9: the letters of %s that look like others are marked', (text, marked) => {
  const parts = lookAlikeParts(text)
  expect(parts.map(part => part.text).join('')).toBe(text)
  expect(parts.map(part => (part.isMark ? `[${part.text}]` : part.text)).join('')).toBe(marked)
})
