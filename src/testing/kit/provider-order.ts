/**
 * Returns what is wrong with the body of a chat completions request, in words; an empty list means that it is valid.
 * Stricter than most servers: each call of an assistant message is answered exactly once, directly after it, in call
 * order, with nothing in between; ids are unique and of 40 characters at most; arguments are the text of a JSON object; no content is empty.
 */
export function checkOpenAiOrder(body: unknown): string[] {
  return check(body, openAiMessage)
}

/**
 * Checks the body of an Anthropic messages request: the first and the last message are the user's, roles
 * alternate, each `tool_use` is answered by a `tool_result` at the start of the next message, in call order, ids are
 * unique and made of letters, digits, `_` and `-`, inputs are objects, no text is blank.
 */
export function checkAnthropicOrder(body: unknown): string[] {
  return check(body, anthropicMessage, (messages, fault) => {
    checkSystem(body, fault)
    if (field(messages[0], 'role') !== 'user') fault('messages[0]: the first message must be from the user')
    if (field(messages.at(-1), 'role') !== 'user') fault('the last message must be from the user')
    for (const [index, message] of messages.entries()) {
      if (index > 0 && field(message, 'role') === field(messages[index - 1], 'role')) {
        fault(`messages[${index}]: roles must alternate`)
      }
    }
  })
}

type Fault = (violation: string) => void

interface MessagePosition {
  readonly at: string
  readonly fault: Fault
  readonly ledger: Ledger
}

/** Which calls were made and which of them are still owed an answer. */
interface Ledger {
  readonly seen: Set<string>
  readonly answered: Set<string>
  owed: string[]
}

/** "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40" */
const LONGEST_OPENAI_ID = 40
const OPENAI_NAME = /^[a-zA-Z0-9_-]{1,64}$/
const ANTHROPIC_NAME = /^[a-zA-Z0-9_-]{1,128}$/
const ANTHROPIC_ID = /^[a-zA-Z0-9_-]+$/

type MessageCheck = (message: Record<string, unknown>, place: MessagePosition) => void

function check(body: unknown, each: MessageCheck, whole?: (messages: unknown[], fault: Fault) => void): string[] {
  const messages = field(body, 'messages')
  if (!Array.isArray(messages) || messages.length === 0) return ['messages: expected a list with at least one message']
  const violations: string[] = []
  const fault: Fault = violation => void violations.push(violation)
  const ledger: Ledger = { seen: new Set(), answered: new Set(), owed: [] }
  whole?.(messages, fault)
  for (const [index, message] of messages.entries()) {
    const place = { at: `messages[${index}]`, fault, ledger }
    if (isRecord(message)) each(message, place)
    else fault(`${place.at}: expected an object`)
  }
  settle({ at: 'the end', fault, ledger })
  return violations
}

/** From here on no result may come any more for what was called before. */
function settle({ at, fault, ledger }: MessagePosition): void {
  for (const id of ledger.owed) fault(`${at}: tool call ${id} has no result directly after it`)
  ledger.owed = []
}

function called(id: unknown, { at, fault, ledger }: MessagePosition): void {
  const name = String(id)
  if (typeof id !== 'string' || id === '') fault(`${at}: a tool call needs an id`)
  else if (ledger.seen.has(id)) fault(`${at}: tool call id ${id} is used twice`)
  ledger.seen.add(name)
  ledger.owed.push(name)
}

function answered(id: unknown, { at, fault, ledger }: MessagePosition): void {
  const name = String(id)
  if (!ledger.seen.has(name)) fault(`${at}: result for ${name}, which nobody called`)
  else if (ledger.answered.has(name)) fault(`${at}: tool call ${name} is answered twice`)
  else if (!ledger.owed.includes(name)) fault(`${at}: the result of tool call ${name} comes too late`)
  else if (ledger.owed[0] !== name) fault(`${at}: result for ${name} out of call order, ${ledger.owed[0]} comes first`)
  ledger.answered.add(name)
  ledger.owed = ledger.owed.filter(other => other !== name)
}

const OPENAI_ROLES: Readonly<Record<string, MessageCheck>> = {
  system: (message, place) => nonEmpty(message['content'], place),
  developer: (message, place) => nonEmpty(message['content'], place),
  user: (message, place) => nonEmpty(message['content'], place),
  assistant: openAiAssistant,
  tool(message, place) {
    answered(message['tool_call_id'], place)
    if (!isText(message['content'])) place.fault(`${place.at}: content must be text`)
  },
}

function openAiMessage(message: Record<string, unknown>, place: MessagePosition): void {
  const role = String(message['role'])
  if (role !== 'tool') settle(place)
  const checkRole = Object.hasOwn(OPENAI_ROLES, role) ? OPENAI_ROLES[role] : undefined
  if (checkRole) checkRole(message, place)
  else place.fault(`${place.at}: unknown role ${role}`)
}

function openAiAssistant({ content, tool_calls: calls }: Record<string, unknown>, place: MessagePosition): void {
  if (calls === undefined || (content !== null && content !== undefined)) nonEmpty(content, place)
  if (calls === undefined) return
  if (!Array.isArray(calls) || calls.length === 0) place.fault(`${place.at}: tool_calls must be a list with a call`)
  for (const [index, call] of listIn(calls)) openAiCall(call, { ...place, at: `${place.at}.tool_calls[${index}]` })
}

function openAiCall(call: unknown, place: MessagePosition): void {
  const { at, fault } = place
  const id = field(call, 'id')
  called(id, place)
  if (String(id).length > LONGEST_OPENAI_ID) fault(`${at}: id ${id} may have ${LONGEST_OPENAI_ID} characters at most`)
  if (field(call, 'type') !== 'function') fault(`${at}: type must be function`)
  const fn = field(call, 'function')
  checkName(field(fn, 'name'), OPENAI_NAME, place)
  const text = field(fn, 'arguments')
  if (typeof text !== 'string' || !isRecord(parsed(text))) fault(`${at}: arguments must be the text of a JSON object`)
}

function anthropicMessage({ role, content }: Record<string, unknown>, place: MessagePosition): void {
  if (role !== 'user' && role !== 'assistant') place.fault(`${place.at}: unknown role ${role}`)
  if (role !== 'user' || !Array.isArray(content)) settle(place)
  if (Array.isArray(content) && content.length > 0) anthropicBlocks(content, role, place)
  else nonEmpty(content, place)
  if (role === 'user') settle(place)
}

function anthropicBlocks(blocks: readonly unknown[], role: unknown, place: MessagePosition): void {
  const isResult = blocks.map(block => field(block, 'type') === 'tool_result')
  for (const [index, block] of blocks.entries()) {
    const inside = { ...place, at: `${place.at}.content[${index}]` }
    anthropicBlock(block, role, inside)
    if (isResult[index] && isResult.slice(0, index).includes(false)) {
      inside.fault(`${inside.at}: tool_result must stand before everything else in its message`)
    }
  }
}

function anthropicBlock(block: unknown, role: unknown, place: MessagePosition): void {
  const { at, fault } = place
  const type = field(block, 'type')
  if (typeof type !== 'string') fault(`${at}: a block needs a type`)
  if (type === 'text') nonEmpty(field(block, 'text'), place)
  if (type === 'tool_use' && role !== 'assistant') fault(`${at}: tool_use belongs to the assistant`)
  if (type === 'tool_result' && role !== 'user') fault(`${at}: tool_result belongs to the user`)
  if (type === 'tool_use') anthropicCall(block, place)
  if (type === 'tool_result') anthropicResult(block, place)
}

function anthropicCall(block: unknown, place: MessagePosition): void {
  const { at, fault } = place
  const id = field(block, 'id')
  called(id, place)
  if (!ANTHROPIC_ID.test(String(id))) fault(`${at}: id ${id} may only have letters, digits, _ and -`)
  checkName(field(block, 'name'), ANTHROPIC_NAME, place)
  if (!isRecord(field(block, 'input'))) fault(`${at}: input must be an object`)
}

function anthropicResult(block: unknown, place: MessagePosition): void {
  answered(field(block, 'tool_use_id'), place)
  const content = field(block, 'content')
  if (content !== undefined && !isText(content)) place.fault(`${place.at}: content must be text or a list of blocks`)
  const isError = field(block, 'is_error')
  if (isError !== undefined && typeof isError !== 'boolean') place.fault(`${place.at}: is_error must be true or false`)
}

function checkSystem(body: unknown, fault: Fault): void {
  const system = field(body, 'system')
  if (system !== undefined)
    nonEmpty(system, { at: 'system', fault, ledger: { seen: new Set(), answered: new Set(), owed: [] } })
}

function checkName(name: unknown, pattern: RegExp, { at, fault }: MessagePosition): void {
  if (!pattern.test(String(name))) fault(`${at}: ${name} is no name for a tool`)
}

function nonEmpty(content: unknown, { at, fault }: MessagePosition): void {
  const texts = Array.isArray(content) ? content.map(part => field(part, 'text') ?? 'not a text') : [content]
  if (texts.length === 0 || texts.some(text => typeof text !== 'string' || text.trim() === '')) {
    fault(`${at}: content must not be empty`)
  }
}

/** Text, or a list of typed parts; a result may well be empty. */
function isText(content: unknown): boolean {
  return (
    typeof content === 'string' || (Array.isArray(content) && content.every(part => isRecord(part) && 'type' in part))
  )
}

function listIn(value: unknown): [number, unknown][] {
  return Array.isArray(value) ? [...value.entries()] : []
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function field(value: unknown, key: string): unknown {
  return isRecord(value) ? value[key] : undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
