/** The limits that Slack checks messages and modals against. */
// biome-ignore lint/suspicious/noExplicitAny: it is what the test receives
type Any = any

const NAMES_OF_TEXT = ['plain_text', 'mrkdwn']

/** Why Slack takes no such blocks; `null` if it does. */
export function objectionToBlocks(blocks: Any, most = 50): string | null {
  if (!Array.isArray(blocks) || blocks.length > most) return 'invalid_blocks'
  const ids = blocks.flatMap(({ elements = [] }: Any) => elements.map(({ action_id }: Any) => action_id))
  const named = ids.filter(id => id !== undefined)
  if (new Set(named).size !== named.length) return 'invalid_blocks'
  return blocks.every(isBlock) ? null : 'invalid_blocks'
}

function isBlock(block: Any): boolean {
  const check = CHECKS[block.type]
  return check ? check(block) : false
}

const CHECKS: Readonly<Record<string, (block: Any) => boolean>> = {
  header: ({ text }) => text.type === 'plain_text' && isText(text, 150),
  section: ({ text }) => isText(text, 3_000),
  context: ({ elements }) =>
    elements.length > 0 && elements.length <= 10 && elements.every((each: Any) => isText(each, 3_000)),
  actions: ({ elements }) => elements.length > 0 && elements.length <= 25 && elements.every(isButton),
  input: ({ label, element }) =>
    isText(label, 2_000) && element.type === 'plain_text_input' && element.max_length <= 3_000,
  rich_text: ({ elements }) =>
    elements.length > 0 && elements.every(({ type, ...part }: Any) => RICH[type]?.(part) ?? false),
}

const RICH: Readonly<Record<string, (part: Any) => boolean>> = {
  rich_text_preformatted: ({ elements }) => elements.every((each: Any) => each.type === 'text' && each.text.length > 0),
  rich_text_section: ({ elements }) => elements.length > 0 && elements.every(isRich),
  rich_text_list: ({ style, elements }) =>
    ['bullet', 'ordered'].includes(style) &&
    elements.length > 0 &&
    elements.every((each: Any) => each.type === 'rich_text_section' && RICH[each.type]?.(each)),
}

function isRich({ type, text, url }: Any): boolean {
  return typeof text === 'string' && text.length > 0 && (type === 'text' || (type === 'link' && URL.canParse(url)))
}

function isText(text: Any, most: number): boolean {
  return (
    NAMES_OF_TEXT.includes(text.type) &&
    typeof text.text === 'string' &&
    text.text.length > 0 &&
    text.text.length <= most
  )
}

function isButton({ type, text, action_id, value = '', url = 'https://x', confirm }: Any): boolean {
  const isWhole = type === 'button' && isText(text, 75) && action_id.length <= 255 && value.length <= 2_000
  return isWhole && URL.canParse(url) && (confirm === undefined || isConfirm(confirm))
}

function isConfirm({ title, text, confirm, deny }: Any): boolean {
  return isText(title, 100) && isText(text, 300) && isText(confirm, 30) && isText(deny, 30)
}
