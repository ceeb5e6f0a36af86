import type { ServerProcess } from './server-process.ts'

/** A browser: it follows one redirection at a time, and keeps cookies. */
export class Browser {
  readonly #server: ServerProcess
  readonly cookies: Map<string, string> = new Map()

  constructor(server: ServerProcess) {
    this.#server = server
  }

  async go(address: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.cookies].map(pair => pair.join('=')).join('; ')
    const headers = { cookie, 'sec-fetch-site': 'same-origin', origin: this.#server.url, ...init.headers }
    const response = await fetch(new URL(address, this.#server.url), { redirect: 'manual', ...init, headers })
    for (const set of response.headers.getSetCookie()) {
      const [pair = ''] = set.split(';')
      const [name = '', value = ''] = pair.split('=')
      if (value === '') this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return response
  }

  /** To the provider; the address that it leads back to. */
  async toProvider(next = '/holds/hold_1?x=1'): Promise<string> {
    const away = await this.go(`/sign-in/provider?next=${encodeURIComponent(next)}`)
    const back = await fetch(away.headers.get('location') ?? '', { redirect: 'manual' })
    return back.headers.get('location') ?? ''
  }

  async whoAmI(): Promise<{ signed_in: object | null; ways: object[] }> {
    return (await (await this.go('/v1/session')).json()) as { signed_in: object | null; ways: object[] }
  }
}
