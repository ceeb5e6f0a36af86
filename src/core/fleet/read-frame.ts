/** Frames as they arrive: a text that is none is refused with what is wrong, and changes nothing. */
import { HELLO, isFields, problemIn, quoted, SHAPES, type Shape } from './frame-shapes.ts'
import { type AgentFrame, type ClientFrame, DEEPEST_FRAME, type FrameErrorCode, type HelloFrame } from './frames.ts'

/** Why a line is no frame. */
export interface FrameFault {
  readonly code: Extract<FrameErrorCode, 'bad_frame'>
  readonly message: string
  /** The id of the frame, if it had a readable one. */
  readonly input_id?: string
}

export type ReadFrame<Frame> = { readonly frame: Frame } | { readonly fault: FrameFault }

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

function bad(message: string, input_id?: string): { readonly fault: FrameFault } {
  return { fault: { code: 'bad_frame', message, ...(input_id !== undefined && { input_id }) } }
}
