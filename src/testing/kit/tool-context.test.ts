import { expect, test } from 'vitest'
import { defineTool } from '../../tools/define/define-tool.ts'
import { suspendedBy, ToolSuspendedError, toolContext } from './tool-context.ts'

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

test('a tool that was approved is told what it asked, and asks anew with another basis', () => {
  const request = { message: 'Buy it?', context: { price: 10 } }
  const { suspended, decision } = toolContext(suspendedBy(request, { decided_by: 'ben' }))
  expect(decision?.decided_by).toBe('ben')
  expect(suspended?.context).toEqual({ price: 10 })
  expect(() => suspended?.confirm({ price: 10 })).not.toThrow()
  expect(() => suspended?.confirm({ price: 11 })).toThrow(ToolSuspendedError)
})
