import fc from 'fast-check'
import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { PLAIN } from './screen.ts'
import { type Column, plainTable, screenTable } from './table.ts'

const COLUMNS: readonly Column[] = [
  { head: 'ID' },
  { head: 'AGENT', least: 6 },
  { head: 'MORE', spare: true },
  { head: 'ABOUT', least: 8 },
]
const ID = 'run_0123456789abcdef'
const screen = (width: number) => ({ now: 0, width, paint: PLAIN })
const shown = (cells: readonly string[], width: number) => screenTable(COLUMNS, [{ cells }], screen(width))

test.each([
  [80, ['ID                    AGENT     MORE  ABOUT', `${ID}  deployer  more  apply the changes`]],
  [50, ['ID                    AGENT     ABOUT', `${ID}  deployer  apply the changes`]],
  [46, ['ID                    AGENT     ABOUT', `${ID}  deployer  apply the cha…`]],
  [38, ['ID                    AGENT   ABOUT', `${ID}  deplo…  apply t…`]],
  [10, ['ID                    AGENT   ABOUT', `${ID}  deplo…  apply t…`]],
])('in %i columns the spare column goes first, then long texts are cut, and an id never is', (width, lines) => {
  expect(shown([ID, 'deployer', 'more', 'apply the changes'], width).split('\n')).toEqual([...lines, ''])
})

test.each([
  ['Chinese', '部署所有的更改到生产环境', 8, '部署所…'],
  ['emoji of several code points', '👩‍💻👩‍💻👩‍💻👩‍💻👩‍💻', 8, '👩‍💻👩‍💻👩‍💻…'],
  ['letters with combining marks', 'e\u0301'.repeat(12), 8, `${'e\u0301'.repeat(7)}…`],
  ['flags', '🇩🇪🇫🇷🇮🇹🇪🇸🇵🇹', 8, '🇩🇪🇫🇷🇮🇹…'],
])('%s are cut by the columns that they take, and between characters', (_what, text, room, cut) => {
  const line = shown([ID, 'tester', '', text], ID.length + 2 + 6 + 2 + room).split('\n')[1]
  expect(line).toBe(`${ID}  tester  ${cut}`)
})

test('wide characters push nothing out of its column', () => {
  const rows = [{ cells: ['a', '漢字', '', 'one'] }, { cells: ['b', 'plain', '', 'two'] }]
  const lines = screenTable(COLUMNS, rows, screen(80)).split('\n')
  expect(lines).toEqual(['ID  AGENT  ABOUT', 'a   漢字   one', 'b   plain  two', ''])
})

test('no line is wider than the terminal, for any texts', () => {
  const text = fc.string({ unit: fc.constantFrom('a', ' ', '漢', '👩‍💻', 'e\u0301', '字'), maxLength: 60 })
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text, text)), fc.integer({ min: 40, max: 120 }), (texts, width) => {
      const rows = texts.map(([agent, more, about]) => ({ cells: [ID, agent, more, about], below: about }))
      for (const line of screenTable(COLUMNS, rows, screen(width)).split('\n'))
        expect(stringWidth(line)).toBeLessThanOrEqual(width)
    }),
    { numRuns: 50 },
  )
})

test('without a terminal nothing is cut, and a dash stands for what is not there', () => {
  const text = plainTable(
    ['ID', 'END', 'ABOUT'],
    [
      [ID, '', 'x'.repeat(300)],
      ['run_2', 'end', '漢字'],
    ],
  )
  expect(text.split('\n')).toEqual([
    'ID                    END  ABOUT',
    `${ID}  -    ${'x'.repeat(300)}`,
    'run_2                 end  漢字',
    '',
  ])
})
