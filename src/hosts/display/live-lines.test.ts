import xterm from '@xterm/headless'
import { expect, test } from 'vitest'
import { LiveLines } from './live-lines.ts'

/** A terminal with a size of its own. */
function aTerminal(columns: number) {
  const terminal = new xterm.Terminal({ cols: columns, rows: 10, allowProposedApi: true, convertEol: true })
  const io = { out: (text: string) => terminal.write(text), width: () => terminal.cols }
  const drawn = () => new Promise<void>(resolve => terminal.write('', resolve))
  const rows = async () => {
    await drawn()
    const { active } = terminal.buffer
    const lines = Array.from({ length: active.length }, (_, row) => active.getLine(row)?.translateToString().trimEnd())
    return lines.join('\n').trimEnd().split('\n')
  }
  return { terminal, io, rows, drawn }
}

test('lines at the bottom are replaced, and text goes above them once', async () => {
  const { io, rows } = aTerminal(40)
  using lines = new LiveLines(io)
  lines.show(['one', 'two'])
  lines.write('first\n')
  lines.show(['three'])
  lines.write('second\n')
  expect(await rows()).toEqual(['first', 'second', 'three'])
})

test('they wait until the line of text above them has its end', async () => {
  const { io, rows } = aTerminal(40)
  using lines = new LiveLines(io)
  lines.write('half a')
  lines.show(['spins'])
  expect(await rows()).toEqual(['half a'])
  lines.write(' line\n')
  expect(await rows()).toEqual(['half a line', 'spins'])
})

test('when they are disposed of, nothing of them is left', async () => {
  const { io, rows } = aTerminal(40)
  const lines = new LiveLines(io)
  lines.write('done\n')
  lines.show(['spins'])
  lines[Symbol.dispose]()
  expect(await rows()).toEqual(['done'])
})

test.each([
  ['letters', 'x'.repeat(39)],
  ['wide characters', '漢字'.repeat(9)],
])('a terminal that becomes narrow and wide again keeps no rest of them, with %s', async (_, line) => {
  const { terminal, io, rows, drawn } = aTerminal(40)
  using lines = new LiveLines(io)
  lines.write('above\n')
  for (const columns of [40, 23, 13, 40, 10, 60]) {
    lines.show([line, `${columns}`])
    await drawn()
    terminal.resize(columns, 10)
    lines.show([`at ${columns}`])
  }
  expect(await rows()).toEqual(['above', 'at 60'])
})

test.each([
  ['in the middle', 2],
  ['at the bottom', 30],
])('keys that are typed while they are drawn, %s of the screen, leave nothing', async (_, above) => {
  const { terminal, io, rows, drawn } = aTerminal(40)
  using lines = new LiveLines(io)
  lines.write('above\n'.repeat(above))
  for (const frame of ['one', 'two', 'three', 'four']) {
    lines.show([frame, `tail of ${frame}`])
    await drawn()
    // As the terminal echoes them.
    terminal.write('ls -la\r\n\r\nabc')
  }
  lines.write('below\n')
  lines.show([])
  expect((await rows()).slice(-2)).toEqual(['above', 'below'])
  expect((await rows()).filter(row => row !== 'above')).toEqual(['below'])
})

test('no line reaches the last column', async () => {
  const { io, rows } = aTerminal(10)
  using lines = new LiveLines(io)
  lines.show(['x'.repeat(30), '漢字漢字漢字'])
  expect(await rows()).toEqual(['x'.repeat(9), '漢字漢字'])
})
