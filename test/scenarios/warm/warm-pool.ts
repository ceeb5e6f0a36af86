/** Processes that run commands one after the other: each is used by one command at a time, and lives as long as its test file. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { join } from 'node:path'

export interface Invocation {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
}

export interface Printed {
  readonly exit: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

const PROGRAM = join(import.meta.dirname, 'warm-process.mjs')
/** Node and its libraries read these as the process starts. */
const READ_AT_START = /^(NODE_(?!COMPILE_CACHE$)|UV_|SSL_|OPENSSL_|LD_|LANG|LC_|TZ$)/

const idle: ChildProcess[] = []
process.once('exit', () => {
  for (const child of idle) child.kill('SIGKILL')
})

/** False if a process that runs already could not do the same as a new one. */
export function mayRunWarm({ args, env }: Invocation): boolean {
  // The help alone is a program of its own.
  return args.join(' ') !== '--help' && !Object.keys(env).some(name => READ_AT_START.test(name))
}

/** Runs a command to its end in a process that may have run others. */
export async function runWarm(cli: string, invocation: Invocation): Promise<Printed> {
  const child = idle.pop() ?? start(cli)
  const mark = `\0${randomUUID()}\0`
  const { promise: ended, resolve: end, reject } = Promise.withResolvers<Ended>()
  const onMessage = (message: Ended): void => end(message)
  const onClose = (exit: number | null, signal: NodeJS.Signals | null): void => end({ exit, signal, isReusable: false })
  child.on('message', onMessage).on('error', reject).on('close', onClose)
  keepAlive(child, 'ref')
  const outputs = Promise.all([read(child.stdout as Socket, mark), read(child.stderr as Socket, mark)])
  child.send({ ...invocation, mark })
  const { exit, signal, isReusable } = await ended
  const [stdout, stderr] = await outputs
  child.off('message', onMessage).off('error', reject).off('close', onClose)
  keepAlive(child, 'unref')
  if (isReusable) idle.push(child)
  else if (child.connected) child.disconnect()
  return { exit, signal, stdout, stderr }
}

interface Ended {
  readonly exit: number | null
  readonly signal: NodeJS.Signals | null
  readonly isReusable: boolean
}

function start(cli: string): ChildProcess {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env
  return spawn(process.execPath, [PROGRAM, cli], {
    env: { PATH, NODE_COMPILE_CACHE },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
}

/** A process that waits for a command keeps nobody from ending. */
function keepAlive(child: ChildProcess, how: 'ref' | 'unref'): void {
  child[how]()
  child.channel?.[how]()
  for (const stream of [child.stdout, child.stderr]) (stream as Socket)[how]()
}

/** What comes before `mark`, or before the end. */
async function read(stream: Socket, mark: string): Promise<string> {
  const chunks: Buffer[] = []
  const { promise: isWhole, resolve } = Promise.withResolvers<void>()
  let tail = ''
  const onData = (chunk: Buffer): void => {
    chunks.push(chunk)
    tail = (tail + chunk.toString('latin1')).slice(-mark.length)
    if (tail === mark) resolve()
  }
  stream.on('data', onData).on('close', resolve)
  await isWhole
  stream.off('data', onData).off('close', resolve)
  const text = Buffer.concat(chunks).toString('utf8')
  return text.endsWith(mark) ? text.slice(0, -mark.length) : text
}
