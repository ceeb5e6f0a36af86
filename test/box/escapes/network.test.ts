import { createSocket } from 'node:dgram'
import { createServer as createHttp } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe } from 'vitest'
import { aBox, hasBox } from '../a-box.ts'
import { attempts, expectNoEscape, needsRoot, outputsOf, runPlainly, SECRET, scriptOf } from './attempts.ts'

const own = Object.values(networkInterfaces())
  .flat()
  .find(each => each && !each.internal && each.family === 'IPv4')?.address

const socket = (family: number, kind: number, protocol = 0) =>
  `perl -e 'socket(S, ${family}, ${kind}, ${protocol}) and print "MADE\\n" or print "no: $!\\n"'`
const unix = (path: string) =>
  `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, pack("Sa*", 1, "${path}")) or die "no: $!"; print <S>'`

const ALL = attempts([
  ['this machine by TCP', 'cat < /dev/tcp/127.0.0.1/$PORT'],
  ['this machine by its name', 'cat < /dev/tcp/localhost/$PORT'],
  ['this machine by IPv6', 'cat < /dev/tcp/::1/$PORT6'],
  ['this machine by another spelling', 'cat < /dev/tcp/2130706433/$PORT'],
  [
    'this machine by its own address',
    `cat < /dev/tcp/${own ?? '127.0.0.1'}/$PORT`,
    SECRET,
    own ? null : 'it has no address',
  ],
  ['this machine by the address of any', 'cat < /dev/tcp/0.0.0.0/$PORT'],
  [
    'this machine by UDP',
    `perl -MSocket -e 'socket(S, AF_INET, SOCK_DGRAM, 0); send(S, "x", 0, sockaddr_in($ENV{PORTU}, inet_aton("127.0.0.1"))); alarm 1; recv(S, $b, 99, 0); print $b'`,
  ],
  [
    'names by DNS over UDP',
    'getent hosts holdpoint-exfiltrate.invalid; ls /sys/class/net 2>/dev/null | grep -qv lo && echo SEEN',
    'SEEN',
    own ? null : 'it has no network',
  ],
  ['the interfaces of the machine', 'grep -c : /proc/net/dev', /^[2-9]/m, own ? null : 'it has no network'],
  ['what listens here', 'grep -i ":$(printf %04X $PORT) " /proc/net/tcp', /0100007F/],
  ['packets', socket(17, 3, 768), 'MADE', needsRoot],
  ['raw sockets', socket(2, 3, 1), 'MADE', needsRoot],
  ['the host of a virtual machine', socket(40, 1), 'MADE', 'a kernel may have no such sockets'],
  ['the crypto of the kernel', socket(38, 5), 'MADE', 'a kernel may have no such sockets'],
  [
    'other families of sockets',
    `perl -e 'for (3..9, 11..15, 17..45) { print "MADE $_\\n" if socket(S, $_, 1, 0) || socket(S, $_, 2, 0) }'`,
    'MADE',
    'a kernel may have no such sockets',
  ],
  ['a socket in the project', unix('$ENV{P}/served.sock')],
  ['a socket in /tmp', unix('$ENV{TMPSOCK}')],
  ['a socket without a path', unix('\\0holdpoint-escape-$ENV{AGENT}')],
  [
    'a socket among the system',
    'ls -d /run/* /var/run/* 2>/dev/null | grep -v /run/holdpoint | grep -q . && echo SEEN',
    'SEEN',
    'a machine may have none',
  ],
  ['a private name by the proxy', 'curl -s --noproxy "" http://localhost:$PORTH/'],
  ['a tunnel by the proxy', 'curl -s --noproxy "" -p http://127.0.0.1:$PORTH/'],
  [
    'another spelling by the proxy',
    'curl -s --noproxy "" http://0x7f000001:$PORTH/; curl -s --noproxy "" http://127.1:$PORTH/',
  ],
  ['IPv6 of IPv4 by the proxy', 'curl -s --noproxy "" "http://[::ffff:127.0.0.1]:$PORTH/"'],
  [
    'another host by the header',
    'curl -s --noproxy "" -H "Host: 127.0.0.1:$PORTH" http://127.0.0.1:$ALLOWED/; curl -s --noproxy "" http://127.0.0.1:$PORTH/',
  ],
  ['another host by a redirect', 'curl -sL --noproxy "" http://127.0.0.1:$ALLOWED/to-secret'],
  ['another host on one connection', 'curl -s --noproxy "" http://127.0.0.1:$ALLOWED/ http://127.0.0.1:$PORTH/'],
  [
    'another host by a name with a nul',
    `curl -s --noproxy "" "http://127.0.0.1:$ALLOWED%00.example:$PORTH/"; curl -s http://127.0.0.1:$PORTH`,
  ],
  [
    'the socket of the proxy alone',
    `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, pack("Sa*", 1, "/run/holdpoint/network")); syswrite(S, "GET http://127.0.0.1:$ENV{PORTH}/ HTTP/1.1\\r\\nHost: 127.0.0.1:$ENV{ALLOWED}\\r\\n\\r\\n"); alarm 2; print <S>'; cat < /dev/tcp/127.0.0.1/$PORT`,
  ],
  ['the host by SOCKS', 'curl -s --noproxy "" -x "${ALL_PROXY:-}" http://127.0.0.1:$PORTH/'],
])

function listen(server: Server, ...args: readonly unknown[]): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    ;(server.listen as (...given: unknown[]) => void).call(server, ...args, () =>
      resolve((server.address() as AddressInfo).port),
    )
  })
}

describe.runIf(await hasBox())('the network is out of reach', () => {
  const outputs = { boxed: [] as readonly string[], plain: [] as readonly string[] }

  beforeAll(async () => {
    const ends: (() => void)[] = []
    const onEnd = (end: () => void) => void ends.push(end)
    const [box, other] = [aBox({ onEnd }), aBox({ onEnd })]
    const says = () => {
      const server = createServer(connection => connection.on('error', () => {}).end(`${SECRET}\n`))
      ends.push(() => server.close())
      return server
    }
    const tmpSocket = join(other.workdir, 's.sock')
    const ports = { PORT: await listen(says(), 0, '0.0.0.0'), PORT6: await listen(says(), 0, '::1') }
    await listen(says(), join(box.workdir, 'served.sock'))
    await listen(says(), tmpSocket)
    await listen(says(), `\0holdpoint-escape-${process.pid}`)
    const secret = createHttp((_, response) => response.end(SECRET))
    const allowed = createHttp((request, response) =>
      request.url === '/to-secret'
        ? response.writeHead(302, { location: `http://127.0.0.1:${portOf(secret)}/` }).end()
        : response.end('public'),
    )
    ends.push(
      () => secret.close(),
      () => allowed.close(),
    )
    await Promise.all([listen(secret, 0, '127.0.0.1'), listen(allowed, 0, '127.0.0.1')])
    const udp = createSocket('udp4', () => {})
    udp.on('message', (_, from) => udp.send(SECRET, from.port, from.address))
    await new Promise<void>(resolve => udp.bind(0, '127.0.0.1', resolve))
    ends.push(() => udp.close())
    const numbers = {
      ...ports,
      PORTU: udp.address().port,
      PORTH: portOf(secret),
      ALLOWED: portOf(allowed),
      AGENT: process.pid,
    }
    const names = Object.fromEntries(Object.entries(numbers).map(([name, port]) => [name, String(port)]))
    const script = scriptOf(ALL, { ...names, P: box.workdir, TMPSOCK: tmpSocket })
    const hosts = [`127.0.0.1:${portOf(allowed)}`, `!127.0.0.1:${portOf(secret)}`, '!localhost:*']
    outputs.boxed = outputsOf(
      String(
        (await box.run(script, { effects: { hosts }, timeout: 120 }).catch(error => ({ stdout: `\n@@0@@\n${error}` })))[
          'stdout'
        ],
      ),
    )
    outputs.plain = outputsOf(await runPlainly(script, box.workdir, process.env))
    return () => {
      for (const end of ends) end()
    }
  }, 240_000)

  expectNoEscape(ALL, () => outputs)
})

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}
