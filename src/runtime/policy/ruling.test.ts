import { expect, test } from 'vitest'
import { defineTool } from '../../tools/define/define-tool.ts'
import { rulingOn } from './ruling.ts'

const RULED = {
  policy: { default: 'auto', tools: {}, rules: [], on_never: 'pause' },
  workdir: '/',
  rules_from: '/',
} as const

const tool = defineTool({ name: 'send', inputSchema: { type: 'object' }, execute: () => 'sent' })

/** As of a library with promises of its own. */
function promised(word: boolean): Promise<boolean> {
  const then = (resolve: (word: boolean) => void): void => void setImmediate(resolve, word)
  return { then } as unknown as Promise<boolean>
}

const WORDS: readonly [how: string, word: () => boolean | Promise<boolean>][] = [
  ['says', () => true],
  ['promises', async () => true],
  ['promises by another library', () => promised(true)],
  ['throws', () => Promise.reject(new Error('no idea'))],
]

test.for(WORDS)('P1: a call asks if its tool %s that it must', async ([, needsApproval]) => {
  expect(await rulingOn(RULED, { ...tool, needsApproval }, {})).toMatchObject({ verdict: 'prompt' })
})

test('P1: a call asks if its tool cannot say where it leads', async () => {
  const inspect = () => Promise.reject(new Error('the disk is gone'))
  expect(await rulingOn(RULED, { ...tool, inspect }, {})).toMatchObject({ verdict: 'prompt' })
})
