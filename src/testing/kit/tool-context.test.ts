import { expect, test } from 'vitest'
import { defineTool } from '../../tools/define/define-tool.ts'
import { toolContext } from './tool-context.ts'

const transfer = defineTool({
  name: 'transfer',
  inputSchema: {},
  execute: (_args, { decision, suspend, workdir }) =>
    decision ? `${decision.decided_by} agreed in ${workdir}` : suspend({ message: 'Really?', choices: ['yes', 'no'] }),
})

test('a tool that suspends itself is seen asking', async () => {
  await expect(transfer.execute({}, toolContext())).rejects.toMatchObject({
    code: 'tool_suspended',
    message: 'The tool suspended itself: Really?',
    request: { choices: ['yes', 'no'] },
  })
})

test('a tool is told what a test is about', async () => {
  const decision = { decided_by: 'ana' } as never
  expect(await transfer.execute({}, toolContext({ decision, workdir: '/tmp' }))).toBe('ana agreed in /tmp')
})

test('each tool has an abort signal of its own', () => {
  expect(toolContext().abortSignal).not.toBe(toolContext().abortSignal)
})
