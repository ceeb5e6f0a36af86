/** What Google says of the contents of a request. This code shares nothing with the one that makes requests. */

type Fields = Readonly<Record<string, unknown>>

interface Turn {
  readonly role: unknown
  readonly parts: readonly Fields[]
}

/** What the server gave with its answers. */
export interface Issued {
  readonly signatures: ReadonlySet<string>
  /** By the id of a call that is signed. */
  readonly ofCalls: ReadonlyMap<string, string>
}

interface Contents {
  readonly turns: readonly Turn[]
  readonly issued: Issued
}

/** A rule of the API, and where it is known from. */
interface ContentRule {
  readonly source: string
  faults(contents: Contents): string[]
}

/** The documented stand-in for the signature of a call that another model made. */
const STAND_IN = 'skip_thought_signature_validator'

const PART_FIELDS: readonly string[] = [
  ...['text', 'thought', 'thoughtSignature', 'inlineData', 'fileData', 'functionCall', 'functionResponse'],
  ...['executableCode', 'codeExecutionResult', 'toolCall', 'toolResponse', 'videoMetadata', 'mediaResolution'],
]

const RULES: readonly ContentRule[] = [
  {
    source: 'the reference of the API, "Content"',
    faults: ({ turns }) =>
      turns.flatMap(({ role }) => (role === 'user' || role === 'model' ? [] : 'Please use a valid role: user, model.')),
  },
  {
    source: 'the reference of the API, "Part": what grounds an answer is no part of its content',
    faults: ({ turns }) =>
      turns.flatMap(({ parts }, index) =>
        parts.flatMap((part, place) => {
          const unknown = Object.keys(part).find(key => !PART_FIELDS.includes(key))
          const at = `contents[${index}].parts[${place}]`
          return unknown === undefined
            ? []
            : `Invalid JSON payload received. Unknown name "${unknown}" at '${at}': Cannot find field.`
        }),
      ),
  },
  {
    source: 'github.com/vercel/ai/issues/3775, github.com/egoist/chatwise-releases/issues/250',
    faults: ({ turns }) =>
      turns.flatMap(({ parts }, index) =>
        parts.length === 0
          ? `* GenerateContentRequest.contents[${index}].parts: contents.parts must not be empty.`
          : [],
      ),
  },
  {
    source: 'github.com/google-gemini/gemini-cli/issues/11814, github.com/lbjlaq/Antigravity-Manager/pull/3396',
    faults: ({ turns }) =>
      turns.flatMap(({ parts }, index) =>
        partsIn(parts, 'functionCall').length > 0 && turns[index - 1]?.role !== 'user'
          ? 'Please ensure that function call turn comes immediately after a user turn or after a function response turn.'
          : [],
      ),
  },
  {
    source: 'github.com/google-gemini/gemini-cli/issues/16415, github.com/google-gemini/gemini-cli/issues/4217',
    faults: ({ turns }) =>
      turns.flatMap(({ parts }, index) => {
        const [calls, next] = [partsIn(parts, 'functionCall'), turns[index + 1]?.parts ?? []]
        return calls.length === partsIn(next, 'functionResponse').length || calls.length === 0
          ? []
          : 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.'
      }),
  },
  {
    source: 'github.com/langchain-ai/langchain/issues/27799, github.com/BerriAI/litellm/issues/26755',
    faults: ({ turns }) =>
      turns.flatMap(({ parts }, index) => {
        const called = partsIn(turns[index - 1]?.parts ?? [], 'functionCall').map(nameOf)
        return partsIn(parts, 'functionResponse').every(answer => called.includes(nameOf(answer)))
          ? []
          : 'Please ensure that function response turn comes immediately after a function call turn.'
      }),
  },
  {
    source: 'github.com/Gitlawb/openclaude/issues/347, github.com/lbjlaq/Antigravity-Manager/issues/733',
    faults: ({ turns }) =>
      turns.flatMap(({ parts }, index) => {
        const [first] = parts.filter(part => part['functionCall'] !== undefined)
        if (first === undefined || first['thoughtSignature'] !== undefined) return []
        const { name } = first['functionCall'] as Fields
        return `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\` , position ${index}.`
      }),
  },
  {
    source: 'the page "Thought signatures" of the API',
    faults: ({ turns, issued: { signatures, ofCalls } }) =>
      turns.flatMap(({ parts }) =>
        parts.flatMap(({ thoughtSignature: given, functionCall: call }) => {
          const own = isFields(call) ? ofCalls.get(String(call['id'])) : undefined
          const isKnown = given === STAND_IN ? own === undefined : signatures.has(String(given))
          return given === undefined || isKnown ? [] : 'Thought signature is not valid.'
        }),
      ),
  },
]

/** The faults of the contents of a request, in the words of the provider. */
export function googleFaults(body: unknown, issued: Issued): string[] {
  const turns = turnsIn(body)
  if (turns.length === 0) return ['* GenerateContentRequest.contents: contents is not specified']
  return RULES.flatMap(rule => rule.faults({ turns, issued }))
}

/** How many answers of the model a request repeats. */
export function answersIn(body: unknown): number {
  return turnsIn(body).filter(({ role }) => role === 'model').length
}

function turnsIn(body: unknown): Turn[] {
  const { contents } = isFields(body) ? body : {}
  return listIn(contents).map(({ role, parts }) => ({ role, parts: listIn(parts) }))
}

function partsIn(parts: readonly Fields[], kind: 'functionCall' | 'functionResponse'): Fields[] {
  return parts.flatMap(part => (isFields(part[kind]) ? [part[kind]] : []))
}

/** Calls and results are matched by id, if there is one. */
function nameOf({ id, name }: Fields): string {
  return String(id ?? name)
}

function listIn(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : []
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
