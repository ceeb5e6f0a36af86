/** `holdpoint chat` in a pseudo terminal, as the person at its keys sees it. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openApp } from '../built-app.ts'
import { memoryOf, sleepsOf } from '../process-figures.ts'
import { both, median, type Row } from '../table.ts'
import { TokenServer } from '../token-server.ts'
import { HAS_TERMINAL, PseudoTerminal } from './pseudo-terminal.ts'

const CLI = resolve(import.meta.dirname, '../../dist/cli/bin.js')
const STARTS = 15
const KEYS = 600
const RATE = 200
const DRAFT = 50
const HOLDS = 60
const IDLE_SECONDS = 10
/** Until V8 has tidied up after a start, which it does once. */
const TIDY_MS = 25_000

const FIRST_FRAME = 'opening…'
const OPENED = ' ready '
const BAR = 'Tab to decide'
const CTRL_U = '\u0015'

export async function measureChat(directory: string): Promise<Row[]> {
  if (!HAS_TERMINAL) return [{ figure: 'there is no script(1) here, which gives a terminal' }]
  const home = join(directory, 'chat')
  mkdirSync(join(home, '.holdpoint'), { recursive: true })
  writeFileSync(join(home, '.holdpoint', 'policy.json'), '{ "default": "prompt" }')
  await using server = await TokenServer.open()
  Object.assign(process.env, server.env)
  return [...(await starting(home)), ...(await talking(home))]
}

/** The time of a terminal in which nothing runs is not counted. */
async function starting(home: string): Promise<Row[]> {
  await keepCode(home)
  const [bare, empty, frame, opened]: [number[], number[], number[], number[]] = [[], [], [], []]
  for (let n = 0; n < STARTS; n += 1) {
    bare.push(await timeIn(home, [['echo', 'over']]))
    empty.push(
      await timeIn(home, [
        [process.execPath, '-e', '0'],
        ['echo', 'over'],
      ]),
    )
    await using chat = aChat(home)
    frame.push(await chat.since(FIRST_FRAME))
    opened.push(await chat.since(OPENED))
  }
  const node = median(empty) - median(bare)
  return [
    { figure: 'spawn to first frame, x node -e 0', value: (median(frame) - median(bare)) / node, wanted: '1.5' },
    {
      figure: 'agent and store opened behind it, x node -e 0',
      value: (median(opened) - median(bare)) / node,
      wanted: '3',
    },
    { figure: 'node -e 0, ms', value: node, wanted: '' },
  ]
}

/** The first chat of an installation keeps its compiled code as it is left. */
async function keepCode(home: string): Promise<void> {
  await using chat = new PseudoTerminal(home, [process.execPath, CLI, 'chat'], ['echo', 'over'])
  await chat.until(OPENED)
  chat.type('\u0004')
  await chat.until('over')
}

async function timeIn(home: string, commands: readonly (readonly string[])[]): Promise<number> {
  await using terminal = new PseudoTerminal(home, ...commands)
  const ms = await terminal.since('over')
  return ms
}

function aChat(home: string): PseudoTerminal {
  return new PseudoTerminal(home, [process.execPath, CLI, 'chat'])
}

async function talking(home: string): Promise<Row[]> {
  await using chat = aChat(home)
  await chat.until(OPENED)
  const before = memoryOf(chat.pid)
  await delay(TIDY_MS)
  const idle = await wakeUps(chat)
  const echoes = await typeWhileStreaming(chat)
  const bars = await holdsToBars(home, chat)
  const after = memoryOf(chat.pid)
  return [
    { figure: 'memory once it is opened, MB', value: before.all, wanted: '80' },
    { figure: 'the same, of its own, MB', value: before.own, wanted: '' },
    { figure: 'wake-ups of an idle chat a second', value: idle, wanted: '0' },
    ...both(`key to echo while ${RATE} tokens/s stream, ms`, echoes, '16'),
    ...both('hold opened to bar, ms', bars, '50'),
    { figure: `memory after ${KEYS} keys and ${HOLDS} holds, MB`, value: after.all, wanted: '' },
  ]
}

async function wakeUps(chat: PseudoTerminal): Promise<number> {
  const before = sleepsOf(chat.pid)
  await delay(IDLE_SECONDS * 1_000)
  return (sleepsOf(chat.pid) - before) / IDLE_SECONDS
}

/** The whole draft is awaited, so that no earlier frame counts as the echo. */
async function typeWhileStreaming(chat: PseudoTerminal): Promise<number[]> {
  chat.type(`say ${RATE * 120} at ${RATE}\r`)
  await chat.until('running ')
  const echoes: number[] = []
  let draft = ''
  for (let n = 0; n < KEYS; n += 1) {
    if (n % DRAFT === 0) {
      draft = '#'
      chat.type(`${CTRL_U}${draft}`)
      await chat.until(draft)
    }
    const key = String.fromCharCode(97 + (n % 26))
    draft += key
    await delay(20 + 40 * Math.random())
    const start = performance.now()
    chat.type(key)
    echoes.push((await chat.until(draft)) - start)
  }
  // The draft is cleared, then the run is stopped.
  chat.type(CTRL_U)
  await delay(200)
  chat.type('\u0003')
  await chat.until(' stopped')
  return echoes
}

/** From the time of the hold on record, which is that of its commit's begin. */
async function holdsToBars(home: string, chat: PseudoTerminal): Promise<number[]> {
  const drawn: number[] = []
  for (let n = 0; n < HOLDS; n += 1) {
    chat.type('ask\r')
    drawn.push(performance.timeOrigin + (await chat.until(BAR)))
    chat.type('/deny no\r')
    await chat.until(OPENED)
  }
  await using app = await openApp({ store: `sqlite:${join(home, '.holdpoint', 'holdpoint.db')}`, directory: home })
  const [run] = await app.holdpoint.runs({ limit: 1 })
  const events = await app.holdpoint.journal(run?.thread_id ?? '')
  const opened = events.filter(({ kind }) => kind === 'hold.opened').map(({ at }) => Date.parse(at))
  if (opened.length !== drawn.length) throw new Error(`${opened.length} holds, and ${drawn.length} bars`)
  return drawn.map((at, n) => at - (opened[n] ?? 0))
}
