import { A_COUNT, A_TEXT, checkFields, type Rules } from '../../core/given-fields.ts'
import type { SearchPage, SearchQuery, SearchStore } from '../../ports/store/search.ts'

const LONGEST = 200
const MOST = 100

const QUERY: Rules<SearchQuery> = {
  words: [
    `a text of 1 to ${LONGEST} characters`,
    value => typeof value === 'string' && value.trim() !== '' && value.length <= LONGEST,
  ],
  limit: [`a whole number from 1 to ${MOST}`, value => A_COUNT[1](value) && Number(value) > 0 && Number(value) <= MOST],
  after: [A_TEXT[0], value => typeof value === 'string' && /^\d{1,16}$/.test(value)],
}

/** @throws RefusedError `invalid_arguments` */
export async function searchThreads(store: SearchStore, query: SearchQuery): Promise<SearchPage> {
  return store.search(checkFields('search', query, QUERY))
}
