import { expect, test } from 'vitest'
import { aProject, effect, ended, type Project } from '../project.ts'
import { ERAS, type Era, textOf } from './clients.ts'
import { overStdio } from './mcp-process.ts'

const eras = Object.keys(ERAS) as Era[]
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}

async function aPausedProject(): Promise<{ project: Project; holdId: string; checkpoint: string }> {
  const project = await aProject({ script: [{ text: 'May I?', calls: [effect('tc_1', 'done')] }, 'Done.'] })
  const { json } = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  return { project, holdId: json.pause_reason.pending_tool_calls[0].hold_id, checkpoint: json.checkpoint_id }
}

test('stdout is the protocol alone, line by line, and the end of stdin is the end', async () => {
  await using project = await aProject()
  const server = project.start(['mcp'], { stdin: `${JSON.stringify(INITIALIZE)}\nthis is no JSON\n` })
  const { exit, stdout, stderr } = await ended(server)
  const messages = stdout.split('\n').filter(line => line !== '')
  expect(messages.map(line => JSON.parse(line))).toMatchObject([
    { id: 1, result: { serverInfo: { name: 'holdpoint' }, protocolVersion: '2025-06-18' } },
  ])
  expect(stderr).toBe('')
  expect(exit).toBe(0)
})

const HOLD_ARGUMENTS = '{"hold_id":"hold_x","verdict":"edit","arguments":ARGUMENTS}'

test.each([
  ['{"message_id":1234567890123456789}', 'message.params.arguments.arguments.message_id is 1234567890123456789'],
  ['{"limit":1e999}', 'message.params.arguments.arguments.limit is 1e999'],
  ['{"a":1,"a":2}', 'message.params.arguments.arguments has the key "a" more than once'],
  ['{"to":{"__proto__":{}}}', 'message.params.arguments.arguments.to has a key "__proto__"'],
  ['[{"ids":[1,-9007199254740993]}]', 'message.params.arguments.arguments[0].ids[1] is -9007199254740993'],
])('P9: a call with %s is refused by its place, and the next message is served', async (written, problem) => {
  await using project = await aProject()
  const params = `{"name":"decide_hold","arguments":${HOLD_ARGUMENTS.replace('ARGUMENTS', written)}}`
  const call = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":${params}}`
  const ping = '{"jsonrpc":"2.0","id":3,"method":"ping"}'
  const server = project.start(['mcp'], { stdin: `${JSON.stringify(INITIALIZE)}\n${call}\n${ping}\n` })
  const { exit, stdout, stderr } = await ended(server)
  const answers = stdout.split('\n').filter(line => line !== '')
  const byId = Object.fromEntries(answers.map(line => JSON.parse(line)).map(answer => [answer.id, answer]))
  expect(byId[2]).toMatchObject({ error: { code: -32_602, message: expect.stringContaining(problem) } })
  expect(byId[2].error.message).toContain('Nothing was done.')
  expect([byId[3].result, stderr, exit]).toEqual([{}, '', 0])
})

test('P9: a request whose own id is no number that can be kept is answered without one', async () => {
  await using project = await aProject()
  const ping = '{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}'
  const { stdout } = await ended(project.start(['mcp'], { stdin: `${ping}\n` }))
  expect(JSON.parse(stdout)).toMatchObject({ id: null, error: { message: expect.stringContaining('message.id is') } })
})

test('SIGTERM ends it cleanly', async () => {
  await using project = await aProject()
  await using server = await overStdio(project, 'older')
  const closed = new Promise<void>(resolve => {
    server.client.onclose = resolve
  })
  process.kill(server.pid, 'SIGTERM')
  await closed
  expect(server.stderr()).toBe('')
})

test('a flag that is wrong is refused on stderr with exit 2, and nothing is on stdout', async () => {
  await using project = await aProject()
  const refused = await project.holdpoint('mcp', '--port', '1')
  expect(refused).toMatchObject({ exit: 2, stdout: '', stderr: expect.stringContaining('--http') })
})

test.each(eras)(
  '%s: P8: what the person at the client approves, the command line knows at once and goes on with',
  async era => {
    const { project, holdId, checkpoint } = await aPausedProject()
    await using _ = project
    await using server = await overStdio(project, era, {
      client: { capabilities: { elicitation: { form: {} } } },
      prepare: client =>
        client.setRequestHandler('elicitation/create', async ({ params }) => {
          expect(params.message).toContain('echo done >> effects.log')
          return { action: 'accept', content: { decision: 'approve', reason: 'looks fine' } }
        }),
    })
    const said = await server.client.callTool({ name: 'ask_user', arguments: { hold_id: holdId } })
    expect(said.structuredContent).toMatchObject({ outcome: 'recorded', hold_status: 'decided' })
    const seen = await project.holdpoint('show', holdId, '--json')
    expect(seen.json.decision).toMatchObject({ decided_by: 'ana', surface: 'mcp-elicitation', reason: 'looks fine' })
    const { stdout } = await project.holdpoint('audit', '--json')
    const records = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    const shown = { kind: 'hold.shown', hold_id: holdId, actor: 'ana', surface: 'mcp-elicitation' }
    expect(records).toContainEqual(expect.objectContaining(shown))
    expect((await project.holdpoint('-c', checkpoint)).exit).toBe(0)
    expect(await project.effects()).toEqual(['done'])
  },
)

test('P8: what was decided on the command line, a client that is connected knows at once', async () => {
  const { project, holdId } = await aPausedProject()
  await using _ = project
  await using server = await overStdio(project, 'latest', { client: { capabilities: { elicitation: { form: {} } } } })
  const read = async (uri: string) => {
    const [content] = (await server.client.readResource({ uri })).contents
    return JSON.parse((content as { text: string }).text)
  }
  expect(await read('holdpoint://holds')).toMatchObject([{ id: holdId, status: 'open' }])
  expect((await project.holdpoint('reject', holdId, '--reason', 'no')).exit).toBe(0)
  expect(await read('holdpoint://holds')).toEqual([])
  expect(await read(`holdpoint://holds/${holdId}`)).toMatchObject({
    status: 'decided',
    decision: { verdict: 'reject' },
  })
  const late = await server.client.callTool({ name: 'ask_user', arguments: { hold_id: holdId } })
  expect(textOf(late).error).toMatchObject({ code: 'already_decided', message: expect.stringContaining('ana') })
})
