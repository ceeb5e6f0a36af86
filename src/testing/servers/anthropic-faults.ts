/** What Anthropic says of calls that it ran itself, as a request repeats them. This code shares nothing with the one that makes requests. */

type Fields = Readonly<Record<string, unknown>>

/** By the id of a call: the encrypted contents that the server gave with its result. */
export type IssuedResults = ReadonlyMap<string, readonly unknown[]>

interface Answer {
  readonly at: string
  readonly blocks: readonly Fields[]
  readonly issued: IssuedResults
  /** The encrypted contents of the results up to here. */
  readonly shown: ReadonlySet<unknown>
}

/** A rule of the API, and where it is known from. */
interface AnswerRule {
  readonly source: string
  faults(answer: Answer): string[]
}

const RULES: readonly AnswerRule[] = [
  {
    source: 'github.com/tailcallhq/forgecode/issues/2107',
    faults: ({ at, blocks }) =>
      blocks.at(-1)?.['type'] === 'thinking'
        ? [`${at}: The final block in an assistant message cannot be \`thinking\`.`]
        : [],
  },
  {
    source: 'github.com/AnswerDotAI/lisette/issues/108',
    faults: ({ at, blocks }) =>
      blocks.flatMap(({ type, id, name }, index) => {
        const isAnswered = blocks.slice(index).some(({ tool_use_id }) => tool_use_id === id)
        if (type !== 'server_tool_use' || isAnswered) return []
        return `${at}: \`${name}\` tool use with id \`${id}\` was found without a corresponding \`${name}_tool_result\` block`
      }),
  },
  {
    source: 'github.com/anthropics/claude-code/issues/65726, github.com/anthropics/claude-code/issues/95406',
    faults: ({ at, blocks }) =>
      blocks.flatMap(({ type, tool_use_id: id }, index) => {
        const isCalled = blocks.slice(0, index).some(block => block['id'] === id)
        if (!isServerResult(type) || isCalled) return []
        const each = `Each \`${type}\` block must have a corresponding \`server_tool_use\` block before it.`
        return `${at}.content.${index}: unexpected \`tool_use_id\` found in \`${type}\` blocks: ${id}. ${each}`
      }),
  },
  {
    source: 'github.com/BerriAI/litellm/pull/31672',
    faults: ({ at, blocks }) =>
      blocks.flatMap(({ type, id }, index) =>
        type !== 'server_tool_use' || /^srvtoolu_[a-zA-Z0-9_]+$/.test(String(id))
          ? []
          : `${at}.content.${index}.server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'`,
      ),
  },
  {
    source: 'the page "Web search tool" of the API: the encrypted contents are passed back',
    faults: ({ at, blocks, issued }) =>
      blocks.flatMap(({ type, tool_use_id: id, content }, index) => {
        if (type !== 'web_search_tool_result') return []
        const given = contentsOf(content)
        const own = issued.get(String(id)) ?? []
        const isSame = given.length === own.length && given.every((each, place) => each === own[place])
        return isSame ? [] : `${at}.content.${index}: Invalid \`encrypted_content\` in \`search_result\` block`
      }),
  },
  {
    source: 'the page "Web search tool" of the API: a citation names a result of the conversation',
    faults: ({ at, blocks, shown }) =>
      blocks.flatMap(({ citations }, index) =>
        listIn(citations).some(({ type }) => type === 'web_search_result_location') && shown.size === 0
          ? `${at}.content.${index}: Could not find search result for citation`
          : [],
      ),
  },
]

/** The faults of the answers in a request, in the words of the provider. */
export function anthropicFaults(body: unknown, issued: IssuedResults): string[] {
  const shown = new Set<unknown>()
  const messages = listIn(isFields(body) ? body['messages'] : [])
  return messages.flatMap(({ content }, index) => {
    const blocks = listIn(content)
    for (const block of blocks) for (const each of contentsOf(block['content'])) shown.add(each)
    return RULES.flatMap(rule => rule.faults({ at: `messages.${index}`, blocks, issued, shown }))
  })
}

/** What the server gives with the blocks of an answer that it streams. */
export function resultsIn(events: readonly object[]): (readonly [id: string, contents: readonly unknown[]])[] {
  return events.flatMap(event => {
    const { content_block: block } = event as { readonly content_block?: unknown }
    if (!isFields(block) || !isServerResult(block['type'])) return []
    return [[String(block['tool_use_id']), contentsOf(block['content'])] as const]
  })
}

function isServerResult(type: unknown): boolean {
  return typeof type === 'string' && type.endsWith('_tool_result')
}

function contentsOf(content: unknown): unknown[] {
  return listIn(content).flatMap(({ encrypted_content: encrypted }) => encrypted ?? [])
}

function listIn(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : []
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
