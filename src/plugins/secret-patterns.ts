/**
 * The shapes of secrets. If a pattern has a group named `secret`, that group alone is the secret. Each pattern reads a
 * text in linear time. It begins with fixed text. From there it runs to the end of one class of characters, to the next
 * place for that fixed text, or over a fixed number of characters.
 */

/** The end of a name for something secret: `DB_PASSWORD`, `clientSecret`, `x-api-key`. */
const NAMES: string = [
  'passw(?:or)?d|passphrase|secret',
  '(?:access|account|api|auth|encryption|private|secret|signing)[-_]?key',
  '(?:access|api|auth|bearer|id|refresh|secret|session)[-_]?token',
].join('|')

const SECRET_NAME = new RegExp(`(?:${NAMES}|authorization)$`, 'i')

/** True if a field of this name holds a secret, in any shape. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name)
}

export const SECRET_PATTERNS: readonly RegExp[] = [
  // Tokens that say what they are: AWS, DigitalOcean, GitHub, GitLab, Google, Hugging Face, npm, PyPI, SendGrid, Slack, Stripe.
  /(?:A3T[A-Z0-9]|ABIA|ACCA|AKIA|ASIA)[A-Z0-9]{16}/,
  /do[opr]_v1_[a-f0-9]{64}/,
  /gh[opsur]_[A-Za-z0-9]{36,}/,
  /github_pat_\w{22,}/,
  /glpat-[\w-]{20,}/,
  /AIza[\w-]{35}|GOCSPX-[\w-]{28}|ya29\.[\w-]{20,}/,
  /hf_[A-Za-z0-9]{30,}/,
  /npm_[A-Za-z0-9]{36,}/,
  /pypi-AgE[\w-]{50,}/,
  /SG\.[\w-]{22}\.[\w-]{43}/,
  /xapp-[A-Za-z0-9-]{20,}/,
  /xox[abceoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,}/,
  /hooks\.slack\.com\/(?:services|triggers|workflows)\/(?<secret>[\w/]{20,})/,
  /(?:rk|sk)_(?:live|test)_[A-Za-z0-9]{16,}/,

  // Anthropic, OpenAI, OpenRouter: no words in lower case, and not the end of one, as in `task-…`, unless of a line break.
  /sk-(?:admin|ant|None|or|proj|svcacct)-(?=[\w-]{0,40}[A-Z0-9])[\w-]{20,}/,
  /(?<=^|[^A-Za-z0-9]|\\[nrt])sk-[A-Za-z0-9]{32,}/,

  // JSON Web Tokens: two objects in base64, and a signature.
  /eyJ(?:(?!eyJ)[\w-]){0,8000}\.eyJ[\w-]{8,}(?:\.[\w-]*)?/,

  // Private keys, up to their last line; one that is cut off, as far as its lines look like it.
  /-----BEGIN[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----[^-]*(?:-(?!----)[^-]*)*-----END[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----/,
  /-----BEGIN[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?:\s|\\[nr])+[A-Za-z0-9+/=]{16,})+/,

  // A password in a URL; what follows a port is none.
  /:\/\/[^\s"'/:?#@`]*:(?!\d{1,5}[?#])(?<secret>[^\s"'/`]+)@/,

  // A named secret in a shell or a query, in quotes, in escaped quotes, in XML and in YAML. In these a word without a
  // digit may well be a type, or prose.
  named(/=(?!>)(?<secret>(?:[^\s"'`&,;\\]|\\(?![nrt"']))+)/),
  named(/["']?\s{0,4}(?:=>?|:=?)\s{0,4}"(?<secret>(?:[^"\\\r\n]|\\.)+)/),
  named(/["']?\s{0,4}(?:=>?|:=?)\s{0,4}'(?<secret>(?:[^'\\\r\n]|\\.)+)/),
  named(/(?:\\{1,7}["'])?\s{0,4}(?:=>?|:=?)\s{0,4}\\{1,7}["'](?<secret>[^"'\\\r\n]+)/),
  named(/>(?<secret>[^\s<>]+)</),
  named(/["']?:\s{1,4}(?=[^\s"',;]{0,100}\d)(?<secret>[^\s"',;\\]{6,})/),

  // Headers.
  /authorization\\{0,7}["']?\s{0,4}[:=]\s{0,4}\\{0,7}["']?(?:apikey|basic|bearer|token)\s{1,4}(?<secret>[^\s"',\\]+)/i,
  /bearer\s{1,4}(?=[\w.~+/-]{0,100}\d)(?<secret>[\w.~+/=-]{16,})/i,
]

function named({ source }: RegExp): RegExp {
  return new RegExp(`(?:${NAMES})${source}`, 'i')
}
