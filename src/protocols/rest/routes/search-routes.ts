import type { SearchQuery } from '../../../ports/store/search.ts'
import type { RestRoute } from '../route/rest-route.ts'
import { described, NAME, TEXT } from '../route/schema-parts.ts'

export const SEARCH_ROUTES: readonly RestRoute[] = [
  {
    method: 'GET',
    path: '/v1/search',
    role: 'viewer',
    summary: 'Events by words that were said, asked, answered or returned, from the newest thread on',
    query: {
      words: described({ ...TEXT, minLength: 1, maxLength: 200 }, 'In whatever case.'),
      limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
      after: described(NAME, 'The `next` of the page before. A page may end before it is full.'),
    },
    answers: { 200: '#Found', 422: 'There are no words to search for.' },
    answer: async ({ query }, { holdpoint }) => {
      const { found, next } = await holdpoint.search({ words: '', ...(query as Partial<SearchQuery>) })
      const paths = await holdpoint.runPaths(found.map(({ run_id }) => run_id))
      return Response.json({ found: found.map(each => ({ ...each, path: paths.get(each.run_id) ?? [] })), next })
    },
  },
]
