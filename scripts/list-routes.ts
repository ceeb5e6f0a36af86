/** Makes docs/routes.md from the tables of routes. */
import { providerRoutes } from '../src/hosts/server/sign-in/provider-routes.ts'
import { openAgUi } from '../src/protocols/ag-ui/open-ag-ui.ts'
import { openAiSdk } from '../src/protocols/ai-sdk/open-ai-sdk.ts'
import { openGitHub } from '../src/protocols/github/open-github.ts'
import type { Route } from '../src/protocols/http/route.ts'
import { openLinks } from '../src/protocols/links/open-links.ts'
import { openMail } from '../src/protocols/mail/open-mail.ts'
import { openMcpHttp } from '../src/protocols/mcp/mcp-http.ts'
import type { RestRoute } from '../src/protocols/rest/route/rest-route.ts'
import { REST_ROUTES } from '../src/protocols/rest/routes/rest-routes.ts'
import { openSlack } from '../src/protocols/slack/open-slack.ts'
import { tableOf } from './list-commands.ts'

const INTRODUCTION = `# Routes

Made from the tables of routes. \`GET /openapi.json\` tells programs the same, with the schemas of all documents.
[server.md](server.md#routes) has what they have in common.
`

export function routesDocument(): string {
  const verbs = tableOf(['route', 'role', 'what it does', 'takes'], REST_ROUTES.map(verbRow))
  const others = tableOf(['route', 'what it does', 'who may'], otherRoutes().flatMap(otherRows))
  return [INTRODUCTION, '## Verbs\n', verbs, '## Other protocols\n', others].join('\n')
}

function verbRow({ method, path, role, summary, query = {}, body, takesKey }: RestRoute): readonly string[] {
  const fields = [...Object.keys(query), ...Object.keys(body?.['properties'] ?? {})].map(name => `\`${name}\``)
  return [routeName(method, path), role ?? 'none', summary, [...fields, ...(takesKey ? ['a key'] : [])].join(', ')]
}

function otherRows({ path, operations = {} }: Route): readonly string[][] {
  return Object.entries(operations).map(([method, { summary, description }]) => [
    routeName(method, path),
    summary,
    description,
  ])
}

function routeName(method: string, path: string): string {
  return `\`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}\``
}

/** The routes of the other protocols, each of which is served if it is set up. */
export function otherRoutes(): readonly Route[] {
  const deps = { holdpoint: {}, provider: {} } as never
  const mcp = openMcpHttp(async () => deps, { limits: { sessions: 1, idleMs: 1 }, onError: () => {} })
  const services = [openSlack(deps), openGitHub(deps), openMail(deps), openLinks(deps)]
  const protocols = [openAiSdk(deps), openAgUi(deps), mcp, ...services, { routes: providerRoutes(deps) }]
  return protocols.flatMap(({ routes }) => routes)
}
