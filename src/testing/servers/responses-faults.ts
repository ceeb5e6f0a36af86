/** What OpenAI says of the input of a Responses request. This code shares nothing with the one that makes requests. */

type Fields = Readonly<Record<string, unknown>>

/** An item that the server gave in an answer. */
export interface IssuedItem {
  readonly id: string
  readonly type: 'reasoning' | 'message' | 'function_call' | 'web_search_call' | 'image_generation_call'
  readonly call_id?: string
  readonly encrypted_content?: string
  /** The thought of its answer, if it had one. */
  readonly thought: string | null
  /** True if the server keeps it: then a request may name it by its id alone. */
  readonly isStored: boolean
}

interface Input {
  readonly body: Fields
  readonly items: readonly Fields[]
  /** By id: what earlier answers had. */
  readonly issued: ReadonlyMap<string, IssuedItem>
}

/** A rule of the API, and where it is known from. */
interface InputRule {
  readonly source: string
  faults(input: Input): string[]
}

const RULES: readonly InputRule[] = [
  {
    source: 'github.com/anomalyco/opencode/issues/7724, github.com/can1357/oh-my-pi/issues/41 (status 404)',
    faults: ({ items, issued }) =>
      items.flatMap(item => {
        const { type, id, encrypted_content } = item
        const isByIdAlone = type === 'item_reference' || (type === 'reasoning' && encrypted_content == null)
        if (!isByIdAlone || issued.get(String(id))?.isStored) return []
        const why = 'Items are not persisted when `store` is set to false.'
        return `Item with id '${id}' not found. ${why} Try again with \`store\` set to true, or remove this item from your input.`
      }),
  },
  {
    source: 'github.com/openai/codex/issues/8145, github.com/openai/codex/issues/17541',
    faults: ({ items, issued }) =>
      items.flatMap(({ id, encrypted_content: encrypted }) => {
        if (encrypted == null || issued.get(String(id))?.encrypted_content === encrypted) return []
        return `The encrypted content for item ${id} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`
      }),
  },
  {
    source: 'github.com/openai/openai-node/issues/1567, github.com/openai/openai-agents-js/issues/326',
    faults: ({ items, issued }) =>
      items.flatMap((item, index) => {
        if (typeOf(item, issued) !== 'reasoning') return []
        const next = items.slice(index + 1).find(each => typeOf(each, issued) !== 'reasoning')
        const isFollowed =
          next !== undefined && isAnswer(next, issued) && (!isStored(item, issued) || isKnown(next, issued))
        return isFollowed
          ? []
          : `Item '${item['id']}' of type 'reasoning' was provided without its required following item.`
      }),
  },
  {
    source: 'github.com/mastra-ai/mastra/issues/8738, github.com/laravel/ai/pull/1052',
    faults: ({ items, issued }) =>
      items.flatMap(({ id }, index) => {
        const { type, thought = null } = issued.get(String(id)) ?? {}
        const isThere = thought === null || items.slice(0, index).some(each => each['id'] === thought)
        return isThere
          ? []
          : `Item '${id}' of type '${type}' was provided without its required 'reasoning' item: '${thought}'.`
      }),
  },
  {
    source: 'github.com/bytedance/trae-agent/issues/245',
    faults: ({ items }) => {
      const answered = new Set(items.map(item => (item['type'] === 'function_call_output' ? item['call_id'] : null)))
      return callsIn(items).flatMap(id => (answered.has(id) ? [] : `No tool output found for function call ${id}.`))
    },
  },
  {
    source: 'github.com/continuedev/continue/issues/10092',
    faults: ({ items }) =>
      items.flatMap(({ type, call_id }, index) =>
        type !== 'function_call_output' || callsIn(items.slice(0, index)).includes(call_id)
          ? []
          : `No tool call found for function call output with call_id ${call_id}.`,
      ),
  },
  {
    source: 'github.com/OpenRouterTeam/ai-sdk-provider/issues/254, github.com/earendil-works/pi/issues/5149',
    faults: ({ items }) =>
      items.flatMap(({ id }, index) =>
        id !== undefined && items.findIndex(each => each['id'] === id) < index
          ? `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`
          : [],
      ),
  },
  {
    source: 'github.com/nodetool-ai/nodetool/pull/4252',
    faults: ({ items }) =>
      items.flatMap(({ type, id }, index) => {
        const prefix = PREFIXES[String(type)]
        if (prefix === undefined || id == null || String(id).startsWith(prefix)) return []
        return `Invalid 'input[${index}].id': '${id}'. Expected an ID that begins with '${prefix}'.`
      }),
  },
  {
    source: 'github.com/AnswerDotAI/fastllm/issues/45',
    faults: ({ items }) =>
      items.flatMap(({ call_id }, index) => {
        const { length } = String(call_id ?? '')
        if (length <= LONGEST_CALL_ID) return []
        const expected = `Expected a string with maximum length ${LONGEST_CALL_ID}`
        return `Invalid 'input[${index}].call_id': string too long. ${expected}, but got a string with length ${length} instead.`
      }),
  },
  {
    source: 'the reference of the API, "Web search tool call" and "Image generation call"',
    faults: ({ items }) =>
      items.flatMap(({ type, id, status }, index) => {
        if (type !== 'web_search_call' && type !== 'image_generation_call') return []
        const missing = id == null ? 'id' : status == null ? 'status' : null
        return missing === null ? [] : `Missing required parameter: 'input[${index}].${missing}'.`
      }),
  },
  {
    source: 'the page "Reasoning models" of the API, and the list of what the AI SDK leaves out for them',
    faults: ({ body: { model, temperature } }) =>
      temperature !== undefined && /^(?:gpt-[5-9]|o\d)/.test(String(model))
        ? ["Unsupported parameter: 'temperature' is not supported with this model."]
        : [],
  },
]

const PREFIXES: Readonly<Record<string, string>> = {
  ...{ reasoning: 'rs', message: 'msg', function_call: 'fc' },
  ...{ web_search_call: 'ws', image_generation_call: 'ig' },
}
const LONGEST_CALL_ID = 64

/** The faults of the input of a request, in the words of the provider. */
export function responsesFaults(body: unknown, issued: ReadonlyMap<string, IssuedItem>): string[] {
  const fields = isFields(body) ? body : {}
  const { input } = fields
  if (!Array.isArray(input) || input.length === 0) return ["Missing required parameter: 'input'."]
  return RULES.flatMap(rule => rule.faults({ body: fields, items: input.filter(isFields), issued }))
}

/** How many answers of the model an input repeats: what is between messages of the user and results. */
export function answersIn({ input }: Fields): number {
  const items: readonly Fields[] = Array.isArray(input) ? input.filter(isFields) : []
  const isOfModel = items.map(
    item => isAnswer(item, new Map()) || ['reasoning', 'item_reference'].includes(String(item['type'])),
  )
  return isOfModel.filter((is, index) => is && !isOfModel[index - 1]).length
}

function typeOf({ type, id, role }: Fields, issued: Input['issued']): unknown {
  if (type === 'item_reference') return issued.get(String(id))?.type
  return type ?? (role === 'assistant' ? 'message' : role)
}

function isAnswer(item: Fields, issued: Input['issued']): boolean {
  const type = typeOf(item, issued)
  if (type === 'web_search_call' || type === 'image_generation_call') return true
  return type === 'function_call' || (type === 'message' && (item['role'] ?? 'assistant') === 'assistant')
}

function isStored({ id }: Fields, issued: Input['issued']): boolean {
  return issued.get(String(id))?.isStored === true
}

/** A call is known by its `call_id`, everything else by its id. */
function isKnown({ id, call_id }: Fields, issued: Input['issued']): boolean {
  if (call_id === undefined) return issued.has(String(id))
  return [...issued.values()].some(item => item.call_id === call_id)
}

function callsIn(items: readonly Fields[]): unknown[] {
  return items.flatMap(({ type, call_id }) => (type === 'function_call' ? [call_id] : []))
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
