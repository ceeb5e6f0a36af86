import { expect, test } from 'vitest'
import { PLAIN } from '../../display/screen.ts'
import { line } from './flow.ts'
import { Screen } from './screen.ts'

test('a frame at the top of the screen leaves no copy of the one before in the history of tmux', () => {
  let written = ''
  const screen = new Screen(
    {
      out: text => {
        written += text
      },
      width: () => 40,
    },
    PLAIN,
  )
  screen.draw([], { lines: [line('opening')], cursor: { line: 0, column: 0 } })
  screen.draw([line('hello')], { lines: [line('ready')], cursor: { line: 0, column: 0 } })
  screen.clear()
  expect(written).toContain('hello')
  // tmux takes a screen that is cleared from its first cell for one to keep.
  const clearings = written.split('\u001b[J').slice(0, -1)
  expect(clearings.filter(before => !before.endsWith('\u001b[C'))).toEqual([])
  expect(clearings.length).toBeGreaterThan(0)
})
