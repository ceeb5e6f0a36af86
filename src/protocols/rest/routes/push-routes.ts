/** Browsers that hear of holds while no page is open: each subscribes with the key of the server, for its person. */

import type { PushEndpoint } from '../../../core/notice/push/subscription.ts'
import { described, limited, object, type Schema, text } from '../../../core/text/json-schema.ts'
import { type RestRoute, route } from '../route/rest-route.ts'

const ENDPOINT = limited(text('The URL that the push service gave the browser.'), { maxLength: 2_048 })

/** As `PushSubscription.toJSON()` has them. */
const KEYS = object(
  {
    p256dh: described(base64url(87), 'The public key of the browser.'),
    auth: described(base64url(22), 'Its secret.'),
  },
  ['p256dh', 'auth'],
)

export const PUSH_ROUTES: readonly RestRoute[] = [
  route('GET /v1/push', 'viewer', {
    summary: 'The key with which a browser subscribes to pushes of this server',
    answers: { 200: '#Push' },
    call: async (_, { push }) => ({ public_key: await push.publicKey() }),
  }),
  route('POST /v1/push', 'decider', {
    summary: 'Subscribe a browser: it hears of holds that its person may decide, as long as the person is signed in',
    body: object({ endpoint: ENDPOINT, keys: KEYS }, ['endpoint', 'keys']),
    answers: {
      204: 'Subscribed.',
      403: 'The caller has neither a session nor a token of its own.',
      422: 'No push service may be there.',
    },
    call: async ({ proof, body: { endpoint, keys } }, { push }) => {
      await push.subscribe(proof, { endpoint, ...keys } satisfies PushEndpoint)
      return new Response(null, { status: 204 })
    },
  }),
  route('DELETE /v1/push', 'viewer', {
    summary: 'End the subscription of a browser of the caller',
    query: { endpoint: ENDPOINT },
    answers: { 204: 'It is subscribed no more.' },
    call: async ({ caller, query: { endpoint = '' } }, { push }) => {
      await push.unsubscribe(caller.name, endpoint)
      return new Response(null, { status: 204 })
    },
  }),
]

function base64url(length: number): Schema<string> {
  return { type: 'string', pattern: `^[A-Za-z0-9_-]{${length}}$` }
}
