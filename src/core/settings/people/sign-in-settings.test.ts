import { expect, test } from 'vitest'
import type { Json } from '../../text/json.ts'
import { provenGroupNames, readSignIn } from './sign-in-settings.ts'

const oidc = { issuer: 'https://login.example.org', client_id: 'holdpoint', roles: { viewer: ['*'] } }
const trusted_proxy = {
  ...{ header: 'X-Assertion', issuer: 'proxy', audience: 'holds', jwks_url: 'https://proxy.example.org/jwks' },
  roles: { viewer: ['*'] },
}
const groupsOf = (groups: Json) => () => readSignIn({ oidc: { ...oidc, groups } })

test('groups of the project have members by either way to sign in', () => {
  const settings = readSignIn({
    oidc: { ...oidc, groups: { finance: ['fin'], legal: ['law'] } },
    trusted_proxy: { ...trusted_proxy, groups: { '@finance': ['0f1e2d3c'] } },
  })
  expect(provenGroupNames(settings)).toEqual(['finance', 'legal'])
  expect(provenGroupNames(readSignIn({ oidc }))).toEqual([])
})

test.each([
  [['finance'], 'sign_in.oidc.groups: must be like'],
  [{ finance: 'fin' }, 'sign_in.oidc.groups.finance: must be a list'],
  [{ finance: [] }, 'sign_in.oidc.groups.finance: must be a list'],
  // Everybody who signs in would decide.
  [{ finance: ['*'] }, 'sign_in.oidc.groups.finance: must be a list'],
])('P1: %j maps no groups, and the place of the fault is named', (groups, why) => {
  expect(groupsOf(groups)).toThrow(why)
})
