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
