"""Texts over which Python and TypeScript must agree: each asks one question of the tokenizer or of the pooling."""
TEXTS = [
    '', ' ', '\n\t ', 'a', 'PDF', 'Fill in a PDF form and flatten it',
    'deploy a Next.js app to Vercel', 'kubernetes', 'Kubernetes kubernetes KUBERNETES',
    'How do I roll back a bad migration in PostgreSQL?', "don't won't it's", 'e-mail, end-to-end (E2E) tests',
    'snake_case camelCase PascalCase kebab-case', 'const x: Map<string, number[]> = new Map();',
    '```bash\nnpm install --save-dev typescript@5.4\n```', '$HOME/.config && echo "done" | tee log.txt',
    'https://example.org/path?query=1&x=%20#frag', 'a+b=c^2 ~ `code` <tag attr="v"/>', '3.14159 1,000,000 0xDEADBEEF v2.0.1-rc.3',
    'naïve café résumé Übergröße', 'Crème brûlée à la carte', 'İstanbul ılık ŞİŞLİ', 'Straße ﬁle Ⅷ ½',
    'Привет, мир', 'Ελληνικά σοφός', 'مرحبا بالعالم', 'हिन्दी में लिखें', 'שלום עולם',
    '将 PDF 转换为 Word 文档', '日本語のテキストを解析する', 'ガイド と がぎぐ', '한국어 문서 요약',
    'emoji 🚀 launch 👩‍💻 and ❤️', '🚀🚀', 'arrow→glued and arrow → free', '“curly” ‘quotes’ – dashes — and … dots',
    'price €20 £30 ¥40 ₿1', 'non\u00a0breaking\u2003spaces\u200bzero width', 'soft\u00adhyphen and \ufeffBOM and bell\x07',
    'x' * 100, 'x' * 101, 'pneumonoultramicroscopicsilicovolcanoconiosis', 'qzxv wqkj zzyzx', '!!! ??? ...',
    'name words › Heading › Sub-heading\nText of a passage, as it is embedded.',
    'A long request. ' * 200, 'table | of | cells\n|---|---|\n| 1 | 2 |', '# Heading\n\n- [ ] task\n- [x] done **bold** _it_',
]
