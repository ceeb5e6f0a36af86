/** An OpenID provider on loopback that speaks the real wire: discovery, code flow with PKCE, signed tokens. */
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'

export interface SmallIssuer extends AsyncDisposable {
  readonly url: string
  /** The claims of the person who signs in next. */
  person: JWTPayload
  /** What is said of them only if it is asked for. */
  userInfo: object
  /** A signed statement of this issuer, of its key or of another one. */
  sign(claims: JWTPayload, options?: { readonly byOther?: boolean }): Promise<string>
}

interface Departure {
  readonly challenge: string
  readonly redirect: string
  readonly nonce: string
}

const KID = 'k1'

export async function aSmallIssuer(clientId: string): Promise<SmallIssuer> {
  const [{ privateKey, publicKey }, other] = [await generateKeyPair('ES256'), await generateKeyPair('ES256')]
  const departures = new Map<string, Departure>()
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const issuer: SmallIssuer = {
    url,
    person: {},
    userInfo: {},
    sign: (claims, { byOther = false } = {}) =>
      new SignJWT({ iss: url, ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: KID })
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(byOther ? other.privateKey : privateKey),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
  const json = (response: ServerResponse, body: object, status = 200) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', url)
    const routes: Readonly<Record<string, () => unknown>> = {
      '/.well-known/openid-configuration': () => json(response, metadata()),
      '/jwks': async () => json(response, { keys: [{ ...(await exportJWK(publicKey)), kid: KID, alg: 'ES256' }] }),
      '/authorize': () => depart(searchParams, response),
      '/token': () => exchange(request, response),
      '/userinfo': () => json(response, { sub: issuer.person.sub, ...issuer.userInfo }),
    }
    await (routes[pathname] ?? (() => response.writeHead(404).end()))()
  }

  function metadata(): object {
    return {
      ...{ issuer: url, authorization_endpoint: `${url}/authorize`, token_endpoint: `${url}/token` },
      ...{ jwks_uri: `${url}/jwks`, userinfo_endpoint: `${url}/userinfo`, response_types_supported: ['code'] },
      ...{ subject_types_supported: ['public'], id_token_signing_alg_values_supported: ['ES256'] },
      code_challenge_methods_supported: ['S256'],
    }
  }

  function depart(asked: URLSearchParams, response: ServerResponse): void {
    const code = randomUUID()
    const [challenge, redirect, nonce] = ['code_challenge', 'redirect_uri', 'nonce'].map(name => asked.get(name) ?? '')
    departures.set(code, { challenge: challenge ?? '', redirect: redirect ?? '', nonce: nonce ?? '' })
    const back = new URL(redirect ?? '')
    back.search = new URLSearchParams({ code, state: asked.get('state') ?? '' }).toString()
    response.writeHead(302, { location: back.href }).end()
  }

  async function exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks = await Array.fromAsync(request as AsyncIterable<Buffer>)
    const body = new URLSearchParams(Buffer.concat(chunks).toString())
    const departure = departures.get(body.get('code') ?? '')
    departures.delete(body.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url')
    if (departure?.challenge !== challenge || departure.redirect !== body.get('redirect_uri'))
      return void json(response, { error: 'invalid_grant' }, 400)
    const id_token = await issuer.sign({ aud: clientId, nonce: departure.nonce, ...issuer.person })
    json(response, { access_token: randomUUID(), token_type: 'Bearer', expires_in: 60, id_token })
  }

  return issuer
}
