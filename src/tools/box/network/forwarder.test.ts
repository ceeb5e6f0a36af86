import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { afterEach, describe, expect, test } from 'vitest'
import { forwarder } from './forwarder.ts'
import { openProxy } from './open-proxy.ts'
import { proxyVariables } from './proxy-variables.ts'

const PORT = 40_123
const BOX = [
  '--ro-bind',
  '/',
  '/',
  '--dev',
  '/dev',
  '--proc',
  '/proc',
  '--tmpfs',
  '/home',
  '--setenv',
  'HOME',
  '/home',
].concat([
  '--unshare-user',
  '--unshare-net',
  '--unshare-pid',
  '--die-with-parent',
  '--cap-drop',
  'ALL',
  '--chdir',
  '/home',
])
const hasBox = spawnSync('bwrap', [...BOX, 'true']).status === 0
const PERL = '/usr/bin/perl'
const KINDS = [
  ['Perl', PERL],
  ['Node', null],
] as const
const seen = (name: string) => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const each of cleanups.splice(0).reverse()) await each()
})

interface Run {
  readonly argv: readonly string[]
  readonly perl: string | null
  readonly permitted?: boolean
  readonly box?: readonly string[]
}

/** Runs a command in a box whose only way out is the forwarder. This machine may be reached, and nothing else. */
async function inBox({ argv, perl, permitted = true, box = BOX }: Run) {
  const directory = mkdtempSync(join(tmpdir(), 'net-'))
  const proxy = await openProxy({ directory, mayReach: host => host === '127.0.0.1', env: {} })
  cleanups.push(async () => {
    await proxy.close()
    rmSync(directory, { recursive: true })
  })
  const wrapped = forwarder(argv, { port: PORT, socketPath: proxy.socketPath, perl })
  // The servers of these tests are on this machine, so no host may go around the proxy.
  const variables = { ...proxyVariables(PORT, { permitted }), NO_PROXY: '', no_proxy: '' }
  const child = spawn('bwrap', [...box, ...wrapped], {
    env: { PATH: process.env['PATH'], ...variables },
    stdio: 'pipe',
  })
  child.stdin.end()
  const [stdout, stderr, [code, signal]] = await Promise.all([
    buffer(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { code, signal, stdout, printed: stdout.toString(), stderr, proxy }
}

async function listening(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', socket => sockets.add(socket.on('error', () => {})))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const echo = () => listening(createServer({ allowHalfOpen: true }, socket => socket.pipe(socket)))
const web = () =>
  listening(
    createHttpServer(async (asked, answer) => {
      const body = await buffer(asked)
      answer.end(asked.url === '/big' ? Buffer.alloc(50_000_000, 'b') : `${body.length}\n`)
    }),
  )

/** A client in Node: `count` tunnels at once, each of which sends `bytes`, ends, and reads what comes back. */
const TUNNELS = `
const net = require('node:net'), crypto = require('node:crypto')
const [port, target, count, bytes] = process.argv.slice(1)
const one = () => new Promise((resolve, reject) => {
  const socket = net.connect({ host: '127.0.0.1', port: Number(port), allowHalfOpen: true })
  const sent = crypto.randomBytes(Number(bytes)), [was, is] = [crypto.createHash('md5').update(sent), crypto.createHash('md5')]
  socket.on('error', reject).write('CONNECT ' + target + ' HTTP/1.1\\r\\n\\r\\n')
  socket.once('data', () => {
    socket.on('data', piece => is.update(piece)).on('end', () => resolve(was.digest('hex') === is.digest('hex')))
    socket.end(sent)
  })
})
Promise.all(Array.from({ length: Number(count) }, one)).then(all => console.log(all.filter(Boolean).length))
`

describe.skipIf(!hasBox)('in a real box', () => {
  describe.each(KINDS)('by %s', (_, perl) => {
    const skip = perl !== null && !existsSync(perl)

    test.skipIf(skip)(
      'the command begins with the port open, and its exit code, output and errors are its own',
      async () => {
        const { code, printed, stderr } = await inBox({
          perl,
          argv: ['bash', '-c', `exec 3<>/dev/tcp/127.0.0.1/${PORT} && echo open; echo bad >&2; exit 7`],
        })
        expect([code, printed, stderr]).toEqual([7, 'open\n', 'bad\n'])
      },
    )

    test.skipIf(skip)('a command that is not there is told, and its arguments stay as they are', async () => {
      expect(await inBox({ perl, argv: ['no-such-command'] })).toMatchObject({
        code: 127,
        stderr: expect.stringContaining('no-such-command'),
      })
      const argv = ['printf', '%s|', '', 'a b', '--', '-e', '$x', '"', "'", '\n']
      expect((await inBox({ perl, argv })).printed).toBe('|a b|--|-e|$x|"|\'|\n|')
    })

    test.skipIf(skip)('nothing runs if the port is taken', async () => {
      const twice = forwarder(['echo', 'ran'], { port: PORT, socketPath: '/nowhere', perl })
      const { code, printed, stderr } = await inBox({ perl, argv: twice })
      expect([code, printed]).toEqual([125, ''])
      expect(stderr).toMatch(/could not be opened on port 40123.*Nothing was run/)
    })

    test.skipIf(skip)('50 MB pass both ways, with the end of one before the other', async () => {
      const argv = ['node', '-e', TUNNELS, String(PORT), `127.0.0.1:${await echo()}`, '1', '50000000']
      expect((await inBox({ perl, argv, permitted: false })).printed).toBe('1\n')
    })

    test.skipIf(skip)('a hundred connections at once', async () => {
      const argv = ['node', '-e', TUNNELS, String(PORT), `127.0.0.1:${await echo()}`, '100', '100000']
      expect((await inBox({ perl, argv, permitted: false })).printed).toBe('100\n')
    })

    test.skipIf(skip)('many short connections, one after the other', async () => {
      const line = `for i in $(seq 500); do exec 3<>/dev/tcp/127.0.0.1/${PORT}; printf 'CONNECT no.example:1 HTTP/1.1\\r\\n\\r\\n' >&3; read -r a <&3; echo "$a"; exec 3>&-; done | sort | uniq -c`
      const { printed } = await inBox({ perl, argv: ['bash', '-c', line] })
      expect(printed.trim()).toBe('500 HTTP/1.1 403 Forbidden')
    })

    test.skipIf(skip)('without the proxy behind it a connection ends at once', async () => {
      const wrapped = forwarder(['bash', '-c', `exec 3<>/dev/tcp/127.0.0.1/${PORT + 1}; cat <&3; echo ended`], {
        port: PORT + 1,
        socketPath: '/nowhere',
        perl,
      })
      expect((await inBox({ perl, argv: wrapped })).printed).toBe('ended\n')
    })
  })

  test.skipIf(!existsSync(PERL))(
    'a command that waits for all of its children does not wait for the forwarder',
    async () => {
      const { code, printed } = await inBox({
        perl: PERL,
        argv: ['perl', '-e', 'if (!fork) { exit } 1 while wait != -1; print "none left"'],
      })
      expect([code, printed]).toEqual([0, 'none left'])
    },
  )

  test.skipIf(!existsSync(PERL))('a box that waits for all of its processes ends after the command, too', async () => {
    const box = BOX.filter(part => part !== '--die-with-parent')
    expect(await inBox({ perl: PERL, argv: ['echo', 'ran'], box })).toMatchObject({ code: 0, printed: 'ran\n' })
  })

  test.skipIf(!seen('curl'))('curl downloads and uploads by each way', async () => {
    const url = `http://127.0.0.1:${await web()}`
    const get = (...flags: string[]) => inBox({ perl: PERL, argv: ['curl', '-sS', ...flags] })
    expect((await get(`${url}/big`)).stdout.length).toBe(50_000_000)
    expect((await get('--proxytunnel', url)).printed).toBe('0\n')
    for (const scheme of ['socks5h', 'socks5', 'socks4', 'socks4a'])
      expect((await get('-x', `${scheme}://127.0.0.1:${PORT}`, url)).printed, scheme).toBe('0\n')
    const upload = await inBox({
      perl: PERL,
      argv: ['bash', '-c', `head -c 50000000 /dev/zero | curl -sS -T - ${url}/up`],
    })
    expect(upload.printed).toBe('50000000\n')
  })

  const AWAY = 'no.example'
  const CLIENTS: readonly [name: string, line: string, shown: RegExp][] = [
    ['curl', `curl -sS http://${AWAY}/`, /not permitted/],
    ['curl', `curl -sS https://${AWAY}/`, /403/],
    ['git', `git clone -q https://${AWAY}/x.git`, /403/],
    ['npm', `npm view x --registry https://${AWAY}/ --fetch-retries=0`, /403/],
    ['npm', `npm install --no-audit --no-fund x --registry https://${AWAY}/`, /403/],
    ['node', `node -e "fetch('https://${AWAY}/').catch(e => console.log(e.cause))"`, /403/],
    [
      'node',
      `node -e "fetch('http://${AWAY}/').then(r => r.text()).then(console.log, e => console.log(e.cause))"`,
      /not permitted|403/,
    ],
    ['python3', `python3 -c "import urllib.request; urllib.request.urlopen('https://${AWAY}/')"`, /403/],
  ]

  test.each(CLIENTS)('%s fails for a refused host, and says so: %s', async (name, line, shown) => {
    if (!seen(name)) return
    const { printed, stderr, proxy } = await inBox({ perl: existsSync(PERL) ? PERL : null, argv: ['bash', '-c', line] })
    expect(printed + stderr).toMatch(shown)
    expect(proxy.refused).toEqual([expect.objectContaining({ host: AWAY })])
  })
})

test('Node uses the proxy only if something is permitted', () => {
  expect(proxyVariables(1, { permitted: false })).not.toHaveProperty('NODE_USE_ENV_PROXY')
  expect(proxyVariables(1, { permitted: true })).toMatchObject({
    NODE_USE_ENV_PROXY: '1',
    HTTPS_PROXY: 'http://127.0.0.1:1',
    https_proxy: 'http://127.0.0.1:1',
    all_proxy: 'socks5h://127.0.0.1:1',
    no_proxy: 'localhost,127.0.0.1,::1',
  })
})
