import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { aProject, command, effect } from '../project.ts'
import { aServer, TOKEN } from './server-process.ts'

const isLinux = existsSync('/proc/self/stat')

/** Sends an approval of the hold in `hold.txt` to the server in `url.txt`, with the token of its owner. */
const SEND = `const [url, hold] = ['url.txt', 'hold.txt'].map(file => require('node:fs').readFileSync(file, 'utf8'))
fetch(url + '/v1/holds/' + hold + '/decisions', {
  method: 'POST',
  headers: {
    authorization: 'Bearer ${TOKEN}',
    'content-type': 'application/json',
    // As a proxy would say that it comes from another machine.
    'x-forwarded-for': '192.0.2.7',
    forwarded: 'for=192.0.2.7',
  },
  body: JSON.stringify({ verdict: 'approve' }),
}).then(async answer => require('node:fs').writeFileSync('out.json', await answer.text()))`

const SENDERS: readonly (readonly [title: string, line: string])[] = [
  ['a command of an agent', 'node send.cjs'],
  ['a command that cleared its environment', 'exec env -i PATH="$PATH" node send.cjs'],
  ['a command in namespaces of its own', 'unshare -rpf --mount-proc node send.cjs'],
  [
    'a daemon in namespaces of its own',
    '(setsid unshare -rpf --mount-proc env -i PATH="$PATH" node send.cjs &); until test -s out.json || ! test -e attempt.sh; do sleep 0.1; done',
  ],
]

test.runIf(isLinux).for(SENDERS)('P1: %s decides nothing over loopback, whatever token it shows', async ([, line]) => {
  await using project = await aProject({
    script: [{ calls: [command('tc_1', 'bash attempt.sh')] }, 'Done.'],
    policy: { default: 'auto' },
    files: {
      'attempt.sh': line,
      'send.cjs': SEND,
      'held.json': JSON.stringify([{ calls: [effect('tc_1', 'applied')] }, 'Done.']),
      'prompt.json': JSON.stringify({ default: 'prompt' }),
    },
  })
  const held = ['--model', 'script:held.json', '--policy', 'prompt.json', '--pause-on-approval']
  expect(await project.holdpoint(...held, 'go')).toMatchObject({ exit: 10 })
  const [hold] = (await project.holdpoint('holds', '--json')).json
  await project.write('hold.txt', hold.id)
  await using server = await aServer(project)
  await project.write('url.txt', server.url)
  await server.send('/v1/threads', { body: { input: 'approve it' } })
  await expect.poll(() => project.exists('out.json')).toBe(true)
  expect(JSON.parse(await project.read('out.json'))).toMatchObject({ status: 403, code: 'process_not_trusted' })
  expect((await server.send(`/v1/holds/${hold.id}`)).json).toMatchObject({ status: 'open', decision: null })
  expect(await project.effects()).toEqual([])
})

/** Asks for the hold in `hold.txt` over the socket in `url.txt`, and proves itself as a client of a daemon does. */
const SEND_OVER_SOCKET = `const { readFileSync, writeFileSync } = require('node:fs')
const [socketPath, hold, token] = ['url.txt', 'hold.txt', 'token.txt'].map(file => readFileSync(file, 'utf8'))
const ask = more => new Promise(resolve => {
  const headers = { authorization: 'Bearer ' + token, 'content-type': 'application/json', 'holdpoint-actor': 'ana', ...more }
  const path = '/v1/holds/' + hold + '/decisions'
  require('node:http').request({ socketPath, path, method: 'POST', headers, agent: false }, async answer => {
    resolve({ port: answer.headers['holdpoint-peer-port'], text: (await answer.toArray()).join('') })
  }).end(JSON.stringify({ verdict: 'approve' }))
})
ask({}).then(first => {
  writeFileSync('first.json', first.text)
  const peer = require('node:net').connect(first.port, '127.0.0.1')
  peer.write('holdpoint-peer ' + '7'.repeat(64) + '\\n')
  peer.once('data', async () => {
    writeFileSync('out.json', (await ask({ 'holdpoint-peer': '7'.repeat(64) })).text)
    process.exit()
  })
})`

test.runIf(isLinux)(
  'P1: over the socket of a daemon nothing is decided unproven, and nothing by a command of an agent, with the token of the owner',
  async () => {
    await using project = await aProject({
      script: [{ calls: [effect('tc_1', 'applied')] }, 'Done.'],
      policy: { default: 'prompt' },
      files: {
        'send.cjs': SEND_OVER_SOCKET,
        'attempt.json': JSON.stringify([{ calls: [command('tc_1', 'node send.cjs')] }, 'Done.']),
        'auto.json': JSON.stringify({ default: 'auto' }),
      },
    })
    await project.holdpoint('--pause-on-approval', 'go')
    const [hold] = (await project.holdpoint('holds', '--json')).json
    const { server } = (await project.holdpoint('daemon', 'start', '--json')).json.daemon
    await using _daemon = {
      [Symbol.asyncDispose]: async () => void (await project.holdpoint('daemon', 'stop', '--kill')),
    }
    await project.write('hold.txt', hold.id)
    await project.write('url.txt', server.slice('unix:'.length))
    await project.write('token.txt', (await project.holdpoint('tokens', 'own')).stdout.trim())
    await project.holdpoint('--model', 'script:attempt.json', '--policy', 'auto.json', 'approve it')
    for (const answer of ['first.json', 'out.json'])
      expect(JSON.parse(await project.read(answer))).toMatchObject({ status: 403, code: 'process_not_trusted' })
    expect((await project.holdpoint('show', hold.id, '--json')).json).toMatchObject({ status: 'open', decision: null })

    execFileSync(process.execPath, ['send.cjs'], { cwd: project.directory, env: project.environment })
    expect(JSON.parse(await project.read('first.json'))).toMatchObject({ code: 'process_not_trusted' })
    expect(JSON.parse(await project.read('out.json'))).toMatchObject({ decision: { decided_by: 'ana' } })
  },
)

/** Opens a connection, has a first request answered, and hands the connection to a process within an agent. */
const HAND_OVER = `const [url, hold] = ['url.txt', 'hold.txt'].map(file => require('node:fs').readFileSync(file, 'utf8'))
const send = (socket, token) => {
  const body = JSON.stringify({ verdict: 'approve' })
  const head = ['POST /v1/holds/' + hold + '/decisions HTTP/1.1', 'host: 127.0.0.1', 'authorization: Bearer ' + token]
  socket.write([...head, 'content-type: application/json', 'content-length: ' + body.length, '', body].join('\\r\\n'))
}
if (process.argv[2] === 'child') {
  process.once('message', (_, socket) => {
    socket.on('data', data => {
      require('node:fs').writeFileSync('out.json', String(data).split('\\r\\n\\r\\n')[1])
      process.exit()
    })
    send(socket, '${TOKEN}')
  })
} else {
  const env = { ...process.env, HOLDPOINT_WITHIN: 'agent:default/run_1' }
  const child = require('node:child_process').fork(__filename, ['child'], { env })
  const socket = require('node:net').connect(new URL(url).port, '127.0.0.1')
  send(socket, require('node:fs').readFileSync('viewer.txt', 'utf8').trim())
  socket.once('data', () => {
    socket.removeAllListeners('data')
    child.send('take it', socket, () => socket.destroy())
  })
  child.once('exit', () => process.exit())
}`

test.runIf(isLinux)(
  'P1: a connection that a person opened decides nothing once a process of an agent has it',
  async () => {
    await using project = await aProject({
      script: [{ calls: [effect('tc_1', 'applied')] }, 'Done.'],
      policy: { default: 'prompt' },
      files: { 'hand-over.cjs': HAND_OVER },
    })
    await project.holdpoint('--pause-on-approval', 'go')
    const [hold] = (await project.holdpoint('holds', '--json')).json
    await using server = await aServer(project, '--no-work')
    await project.write('hold.txt', hold.id)
    await project.write('url.txt', server.url)
    await project.write('viewer.txt', (await project.holdpoint('tokens', 'add', 'vera', '--role', 'viewer')).stdout)
    const run = promisify(execFile)
    await run(process.execPath, ['hand-over.cjs'], { cwd: project.directory, env: project.environment })
    expect(JSON.parse(await project.read('out.json'))).toMatchObject({ status: 403, code: 'process_not_trusted' })
  },
)

const [NOBODY, isRoot] = [['--reuid', '65534', '--clear-groups', process.execPath], process.getuid?.() === 0]
const becomesAnother = isLinux && isRoot && spawnSync('setpriv', [...NOBODY, '-e', '0']).status === 0

/** The other user cannot read the project, so all that it needs is in its environment. */
const SEND_AS_ANOTHER = `fetch(process.env.URL + '/v1/holds/' + process.env.HOLD + '/decisions', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + process.env.TOKEN, 'content-type': 'application/json' },
  body: JSON.stringify({ verdict: 'approve' }),
}).then(async answer => console.log(await answer.text()))`

test.runIf(becomesAnother)(
  'P1: another user of the machine decides with a token, and an agent does not as another user',
  async () => {
    await using project = await aProject({
      script: [{ calls: [effect('tc_1', 'applied')] }, 'Done.'],
      policy: { default: 'prompt' },
      files: {
        'send.cjs': SEND_AS_ANOTHER,
        'attempt.json': JSON.stringify([{ calls: [command('tc_1', 'bash attempt.sh')] }, 'Done.']),
        'attempt.sh': `export URL=$(cat url.txt) HOLD=$(cat hold.txt) TOKEN=$(cat token.txt)
setpriv ${NOBODY.join(' ')} -e "$(cat send.cjs)" >out.json`,
        'auto.json': JSON.stringify({ default: 'auto' }),
      },
    })
    await project.holdpoint('--pause-on-approval', 'go')
    const [hold] = (await project.holdpoint('holds', '--json')).json
    await using server = await aServer(project, '--no-work')
    const token = (await project.holdpoint('tokens', 'add', 'ben', '--role', 'decider')).stdout.trim()
    for (const [file, text] of Object.entries({ 'hold.txt': hold.id, 'url.txt': server.url, 'token.txt': token }))
      await project.write(file, text)
    await project.holdpoint('--model', 'script:attempt.json', '--policy', 'auto.json', 'approve it')
    expect(JSON.parse(await project.read('out.json'))).toMatchObject({ status: 403, code: 'process_not_trusted' })
    const env = { ...project.environment, URL: server.url, HOLD: hold.id, TOKEN: token }
    const said = execFileSync('setpriv', [...NOBODY, '-e', SEND_AS_ANOTHER], { cwd: '/', env, encoding: 'utf8' })
    expect(JSON.parse(said)).toMatchObject({ outcome: 'recorded', decision: { decided_by: 'ben' } })
  },
)
