/** The help of the server over HTTP. */
import type { CommandText } from '../../../command/command-text.ts'

export const SERVE: CommandText = {
  about: [
    'Any program that speaks HTTP can start runs, see what waits, and decide. The server listens on http://127.0.0.1:4747 until SIGTERM or Ctrl-C. Then it takes no more requests, runs come to rest as with `holdpoint work`, and it exits with 0.',
    'Every request needs `Authorization: Bearer TOKEN`, and the token signs: nothing in a body does. Your token is HOLDPOINT_SERVER_TOKEN, or the one in .holdpoint/server-token, which is made at the first start, for your user alone. With it you sign as HOLDPOINT_ACTOR or your login.',
    'To see what waits:',
    {
      lines: ['token=$(cat .holdpoint/server-token)', 'curl --oauth2-bearer "$token" 127.0.0.1:4747/v1/holds'],
    },
    'Other people get tokens of their own: `holdpoint tokens`. If other machines reach the server, it takes TLS (--tls-cert, --tls-key) or a proxy with TLS (--behind-proxy), and only tokens that were added count.',
    'Clients of MCP use the same port and the same tokens, at /mcp: there agents are tools, and people decide at their client.',
    'Requests that come from web pages of other sites, or for another host name, are refused.',
    'With --metrics Prometheus reads figures at /metrics with the token of an admin, and with --metrics-port on a port of their own. With --otlp, or OTEL_EXPORTER_OTLP_ENDPOINT, traces go to a collector of OpenTelemetry. With --log json stderr has one JSON object for each event, with ids and without content.',
    'The server advances runs as `holdpoint work` does. With --no-work it leaves that to other workers.',
    'If hosts share the store, --address says under which URL the others reach this one: `tasks logs` and `agents attach` on another host then go over it, with the token of who asks.',
  ],
  examples: [
    ['holdpoint serve', 'on this machine'],
    ['holdpoint serve --no-work', 'beside workers of their own'],
  ],
}

export const INBOX: CommandText = {
  about: [
    'A page in your browser shows what waits, each call in full, and decides it. Use it on a phone-sized screen, or by keys: `?` lists them.',
    'If no `holdpoint serve` runs for this project, a server is started on this machine, and advances runs, until Ctrl-C. The link on stdout signs one browser in as HOLDPOINT_ACTOR or your login: once, and within five minutes. In a terminal your browser opens it ($BROWSER names another one).',
    'The browser stays signed in for 30 days, or until you sign out. Other people sign in with tokens of their own: `holdpoint tokens`.',
  ],
  examples: [
    ['holdpoint inbox', 'see all that waits'],
    ['holdpoint inbox hold_3k9p', 'decide this one'],
    ['holdpoint inbox --no-open', 'print the link, for a browser of your choice'],
  ],
}

export const TOKENS: CommandText = {
  about: [
    'The bearer of a token signs with its NAME. A viewer looks; a decider also decides holds; an operator also starts, tells and cancels runs; an admin also revokes grants. Give each person a token of their own: decisions are on record under its name.',
    'The token is shown once, on stdout: the store keeps a digest of it alone. `revoke` takes the id of a token, or a NAME for all of its tokens and every browser in which that person is signed in. A server knows of both at once. Agents can add and revoke none.',
  ],
  examples: [
    ['holdpoint tokens add ben --role decider --expires 30d', 'ben may decide for a month'],
    ['holdpoint tokens', 'who may use the server?'],
    ['holdpoint tokens revoke ben', 'ben may not any more'],
  ],
}

export const NOTICES: CommandText = {
  about: [
    'People and programs are told of holds by the channels in .holdpoint/config.json: webhook, command, slack, mail, github. `holdpoint work` and `holdpoint serve` send notices as long as one of them runs.',
    'A notice that a channel does not take is tried ten times, up to six hours apart; then it is given up, and --failed shows it. `retry` makes it due again.',
    '`send` sends what is due now and ends, for pipelines in which nothing keeps running. `test` sends a message that asks nothing: to you alone, by the address that `people` has for HOLDPOINT_ACTOR or your login.',
  ],
  examples: [
    ['holdpoint notices --failed', 'what could nobody be told?'],
    ['holdpoint notices retry ntc_3k9p0', 'try it again'],
    ['holdpoint notices test slack', 'does the channel work?'],
  ],
}
