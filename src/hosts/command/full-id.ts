import type { RefusedError } from '../../core/errors.ts'
import type { Holdpoint } from '../../runtime/face/holdpoint.ts'
import { argumentRefusals } from '../refusals/argument-refusals.ts'

/** How many letters follow the prefix of a whole id, and how those of a store are found. */
interface IdForm {
  readonly letters: number
  readonly candidates: (holdpoint: Holdpoint, beginning: string) => Promise<readonly string[]>
}

const FORMS: Readonly<Record<string, IdForm>> = {
  hold: { letters: 16, candidates: holdIds },
  run: { letters: 16, candidates: async holdpoint => (await holdpoint.runs()).map(({ id }) => id) },
  th: { letters: 16, candidates: threadIds },
  cp: { letters: 26, candidates: checkpointIds },
  task: { letters: 16, candidates: taskIds },
  token: { letters: 16, candidates: async ({ tokens }) => (await tokens.list({ all: true })).map(({ id }) => id) },
  grant: { letters: 16, candidates: async ({ grants }) => (await grants.list({ all: true })).map(({ id }) => id) },
}

const BEGINNING = /^(hold|run|th|cp|task|grant|token)_([0-9a-z]*)$/
/** So many letters name a thing, as long as no other begins with them. */
const LEAST_LETTERS = 4
/** Shown of those that begin alike. */
const MOST_LISTED = 10

/**
 * The whole id that a text begins, from four letters on, as `git` does it; the text itself if it is none, or begins none.
 * @throws RefusedError `ambiguous_id`
 */
export async function fullId(holdpoint: Holdpoint, text: string): Promise<string> {
  const [, kind = '', letters = ''] = BEGINNING.exec(text) ?? []
  const form = FORMS[kind]
  if (!form || letters.length >= form.letters) return text
  const ids = [...new Set(await form.candidates(holdpoint, text))].filter(id => id.startsWith(text))
  if (ids.length === 0 || ids.includes(text)) return text
  if (ids.length === 1 && letters.length >= LEAST_LETTERS) return ids[0] ?? text
  throw unclear(text, { kind, letters, found: ids })
}

interface Beginning {
  readonly kind: string
  readonly letters: string
  readonly found: readonly string[]
}

function unclear(text: string, { kind, letters, found: ids }: Beginning): RefusedError {
  const begin = ids.length === 1 ? '1 id begins' : `${ids.length} ids begin`
  const least =
    letters.length < LEAST_LETTERS ? `, which is too short: at least ${LEAST_LETTERS} letters follow ${kind}_` : ''
  const what = `${begin} with ${JSON.stringify(text)}${least}`
  return argumentRefusals.ambiguousBeginning(what, ids.length, ids.slice(0, MOST_LISTED))
}

/** Ids among the values of a query. */
export async function withFullIds<Query extends object>(holdpoint: Holdpoint, query: Query): Promise<Query> {
  const entries = Object.entries(query).map(async ([key, value]) => [
    key,
    typeof value === 'string' ? await fullId(holdpoint, value) : value,
  ])
  return Object.fromEntries(await Promise.all(entries))
}

/** Read from the store at once. */
const PAGE = 200

async function holdIds(holdpoint: Holdpoint): Promise<string[]> {
  const ids: string[] = []
  for (let after: string | undefined; ; after = ids.at(-1)) {
    const page = await holdpoint.holds({ limit: PAGE, ...(after === undefined ? {} : { after }) })
    ids.push(...page.map(({ id }) => id))
    if (page.length < PAGE) return ids
  }
}

async function threadIds(holdpoint: Holdpoint): Promise<string[]> {
  return (await holdpoint.runs()).map(({ thread_id }) => thread_id)
}

/** A checkpoint's letters begin with those of its thread. */
async function checkpointIds(holdpoint: Holdpoint, beginning: string): Promise<string[]> {
  const letters = beginning.slice('cp_'.length)
  const threads = new Set(await threadIds(holdpoint))
  const near = [...threads].filter(id => {
    const own = id.slice('th_'.length)
    return own.startsWith(letters) || letters.startsWith(own)
  })
  const rows = await Promise.all(near.map(id => holdpoint.checkpoints(id)))
  return rows.flat().map(({ checkpoint_id }) => checkpoint_id)
}

async function taskIds({ tasks }: Holdpoint): Promise<string[]> {
  const ids: string[] = []
  for (let after: string | null | undefined; after !== null; ) {
    const page = await tasks.list(after === undefined ? { limit: PAGE } : { limit: PAGE, after })
    ids.push(...page.tasks.map(({ task_id }) => task_id))
    after = page.next
  }
  return ids
}
