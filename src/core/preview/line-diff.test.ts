import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lineDiff } from './line-diff.ts'

test('a line that changes is told with three lines around it', () => {
  const before = 'a\nb\nc\nd\ne\nf\ng\nh\n'
  expect(lineDiff(before, before.replace('e', 'E'))).toEqual({
    diff: '@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n',
    added: 1,
    removed: 1,
  })
})

test('equal texts have no difference', () => {
  expect(lineDiff('a\nb', 'a\nb')).toEqual({ diff: '', added: 0, removed: 0 })
})

test('a new file is all lines that come, and a missing last line break is told', () => {
  expect(lineDiff('', 'a\nb')).toEqual({
    diff: '@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n',
    added: 2,
    removed: 0,
  })
})

test('changes far apart are hunks of their own', () => {
  const lines = Array.from({ length: 40 }, (_, index) => `${index}`)
  const after = lines.with(3, 'x').with(30, 'y')
  const { diff = '' } = lineDiff(`${lines.join('\n')}\n`, `${after.join('\n')}\n`) ?? {}
  expect(diff.match(/^@@ .* @@$/gm)).toEqual(['@@ -1,7 +1,7 @@', '@@ -28,7 +28,7 @@'])
})

/** As the patch program does it: by the numbers of each hunk, and only if its lines are there. */
function patched(before: string, diff: string): string {
  const lines = linesOf(before)
  const hunks = diff.split(/^(?=@@)/m).filter(hunk => hunk !== '')
  for (const hunk of hunks.toReversed()) {
    const [, from = '', count = '1'] = /^@@ -(\d+)(?:,(\d+))? /.exec(hunk) ?? []
    const start = Number(count) === 0 ? Number(from) : Number(from) - 1
    const went = lines.splice(start, Number(count), ...side(hunk, '+'))
    expect(went).toEqual(side(hunk, '-'))
  }
  return lines.join('')
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

function side(hunk: string, mark: string): string[] {
  const marked = linesOf(hunk.replace(/^.*\n/, '').replaceAll('\n\\ No newline at end of file\n', '\0\n'))
  return marked.filter(line => ` ${mark}`.includes(line.charAt(0))).map(line => line.slice(1).replace('\0\n', ''))
}

const anyText = fc.array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n')).map(lines => lines.join(''))
const anyEnd = fc.constantFrom('', 'a', 'b')

test('any difference makes the second text of the first', () => {
  fc.assert(
    fc.property(anyText, anyEnd, anyText, anyEnd, (one, end, other, otherEnd) => {
      const [before, after] = [one + end, other + otherEnd]
      expect(patched(before, lineDiff(before, after)?.diff ?? '')).toBe(after)
    }),
  )
})

test('texts that have hardly a line in common are told as one that goes and one that comes', () => {
  const many = (name: string) => Array.from({ length: 5_000 }, (_, index) => `${name}${index}\n`).join('')
  expect(lineDiff(many('a'), many('b'))).toMatchObject({ added: 5_000, removed: 5_000 })
})

test('a change in a long text is told by its place, however long the text is', () => {
  const before = 'line\n'.repeat(1_000_000)
  const found = lineDiff(before, `${before}end\n`)
  expect(found?.diff).toBe('@@ -999998,3 +999998,4 @@\n line\n line\n line\n+end\n')
})

test('what would take too long to compare is told as all that goes and all that comes, or not at all', () => {
  const same = 'same\n'.repeat(300_000)
  const scattered = (name: string) =>
    `${name}\n${same}${Array.from({ length: 600 }, (_, n) => `${name}${n}\n`).join('')}`
  expect(lineDiff(scattered('a'), scattered('b'))).toMatchObject({ added: 300_601, removed: 300_601 })
  expect(lineDiff(`a\n${same.repeat(3)}a\n`, `b\n${same.repeat(3)}b\n`)).toBeNull()
})
