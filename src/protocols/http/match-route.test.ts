import { expect, test } from 'vitest'
import { matchRoutes } from './match-route.ts'

test('a route that names a part is found before one that takes any text there, wherever it is in the table', () => {
  const routes = ['/grants/:id', '/grants/suggestions'].map(path => ({
    ...{ path, methods: ['GET'] },
    answer: async () => new Response(),
  }))
  const pathsOf = (pathname: string) => matchRoutes(routes, pathname).map(({ route }) => route.path)
  expect(pathsOf('/grants/suggestions')).toEqual(['/grants/suggestions', '/grants/:id'])
  expect(pathsOf('/grants/grant_1')).toEqual(['/grants/:id'])
})
