/** Frames as they arrive: a text that is none is refused with what is wrong, and changes nothing. */
import { checkInputId } from '../journal/input.ts'
import {
  type AgentFrame,
  type ClientFrame,
  DEEPEST_FRAME,
  type FrameErrorCode,
  type HelloFrame,
  MESSAGE_MODES,
} from './frames.ts'

/** Why a line is no frame. */
export interface FrameFault {
  readonly code: Extract<FrameErrorCode, 'bad_frame'>
  readonly message: string
  /** Of the frame, if it had one that can be read. */
  readonly input_id?: string
}

export type ReadFrame<Frame> = { readonly frame: Frame } | { readonly fault: FrameFault }

type Fields = Readonly<Record<string, unknown>>
type Check = (value: unknown) => boolean
/** A name with a question mark may be left out. */
type Shape = Readonly<Record<string, Check>>

const text: Check = value => typeof value === 'string'
const name: Check = value => typeof value === 'string' && value.trim() !== '' && value.length <= 200
const inputId: Check = value => {
  try {
    checkInputId(value)
    return value !== undefined
  } catch {
    return false
  }
}
const count: Check = value => Number.isSafeInteger(value) && Number(value) >= 0
const object: Check = value => typeof value === 'object' && value !== null && !Array.isArray(value)
const anything: Check = () => true
const orNull =
  (check: Check): Check =>
  value =>
    value === null || check(value)
const oneOf =
  (...words: readonly string[]): Check =>
  value =>
    words.includes(value as string)

const FILE: Shape = { 'name?': name, 'media_type?': name, 'base64?': text, 'path?': name }
const SEEN: Shape = { 'digest?': orNull(text), 'level?': orNull(count) }

const HELLO: Shape = {
  protocol: count,
  token: text,
  role: oneOf('writer', 'viewer'),
  'since?': count,
  actor: name,
  'client?': name,
}

const SHAPES: { readonly [Type in ClientFrame['type']]: Shape } = {
  user_message: {
    input_id: inputId,
    text,
    'mode?': oneOf(...MESSAGE_MODES),
    'files?': value => Array.isArray(value) && value.every(file => fits(file, FILE)),
  },
  decide: {
    input_id: inputId,
    hold_id: name,
    verdict: oneOf('approve', 'reject', 'edit', 'respond', 'cancel'),
    'seen?': value => fits(value, SEEN),
    'reason?': orNull(text),
    'value?': anything,
    'arguments?': orNull(object),
    'grant?': orNull(object),
  },
  take_writer: { input_id: inputId },
  end: { input_id: inputId, 'when?': oneOf('after_turn', 'now') },
  ping: { n: count },
}

/** Names of other programs of this kind for the same frames. */
const ALIASES: Readonly<Record<string, ClientFrame['type']>> = {
  UserMessage: 'user_message',
  EndInput: 'end',
  end_input: 'end',
}

/** The first line of a client. */
export function readHello(line: string): ReadFrame<HelloFrame> {
  return read(line, type => (type === 'hello' ? { type, shape: HELLO } : null)) as ReadFrame<HelloFrame>
}

/** True for the name of a frame of clients. */
export function isFrameType(given: unknown): boolean {
  return typeof given === 'string' && clientType(given) !== null
}

/** Each later line of a client. */
export function readClientFrame(line: string): ReadFrame<ClientFrame> {
  return read(line, given => {
    const type = clientType(given)
    return type === null ? null : { type, shape: SHAPES[type] }
  }) as ReadFrame<ClientFrame>
}

function clientType(given: string): ClientFrame['type'] | null {
  const type = Object.hasOwn(ALIASES, given) ? ALIASES[given] : given
  return type !== undefined && Object.hasOwn(SHAPES, type) ? (type as ClientFrame['type']) : null
}

const OF_AGENTS: Readonly<Record<AgentFrame['type'], true>> = {
  ...{ welcome: true, status: true, ack: true, error: true, delta: true, event: true, pong: true, lagged: true },
  bye: true,
}

/** A line of the process of an agent; `null` for one that this version does not know. */
export function readAgentFrame(line: string): AgentFrame | null {
  const parsed = parse(line)
  if (!isFields(parsed)) return null
  const { type } = parsed
  return typeof type === 'string' && Object.hasOwn(OF_AGENTS, type) ? (parsed as unknown as AgentFrame) : null
}

type ShapeOf = (type: string) => { readonly type: string; readonly shape: Shape } | null

function read(line: string, shapeOf: ShapeOf): ReadFrame<unknown> {
  const parsed = parse(line)
  if (!isFields(parsed)) return bad('A line is one JSON object.')
  const id = typeof parsed['input_id'] === 'string' ? parsed['input_id'] : undefined
  if (depthOf(parsed) > DEEPEST_FRAME) return bad(`A frame is at most ${DEEPEST_FRAME} levels deep.`, id)
  const { type, ...fields } = parsed
  const known = typeof type === 'string' ? shapeOf(type) : null
  if (!known) return bad(`${quoted(type)} is no type of a frame here.`, id)
  const problem = problemIn(fields, known.shape)
  return problem === null ? { frame: { ...fields, type: known.type } } : bad(`${known.type}: ${problem}.`, id)
}

function problemIn(fields: Fields, shape: Shape): string | null {
  const names = new Set(Object.keys(shape).map(key => key.replace('?', '')))
  const unknown = Object.keys(fields).find(key => !names.has(key))
  if (unknown !== undefined) return `it has no field ${quoted(unknown)}`
  const wrong = Object.entries(shape).find(([key, check]) => !fitsField(fields, key, check))
  return wrong ? `its field ${wrong[0].replace('?', '')} is missing or does not fit` : null
}

function fitsField(fields: Fields, key: string, check: Check): boolean {
  const field = key.replace('?', '')
  return Object.hasOwn(fields, field) ? check(fields[field]) : key.endsWith('?')
}

function fits(value: unknown, shape: Shape): boolean {
  return isFields(value) && problemIn(value, shape) === null
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** Without recursion: a frame may be as deep as it is long. */
function depthOf(value: unknown): number {
  let level: readonly unknown[] = [value]
  for (let depth = 0; ; depth++) {
    level = level.filter(each => typeof each === 'object' && each !== null)
    if (level.length === 0 || depth > DEEPEST_FRAME) return depth
    level = level.flatMap(each => Object.values(each as object))
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function quoted(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 100)
}

function bad(message: string, input_id?: string): { readonly fault: FrameFault } {
  return { fault: { code: 'bad_frame', message, ...(input_id !== undefined && { input_id }) } }
}
