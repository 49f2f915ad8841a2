/* Wide and multibyte characters, in the C locale and by hand-made UTF-8. */
#include "guest.h"

#include <locale.h>
#include <wchar.h>
#include <wctype.h>

static unsigned decode(const uint8_t *s, unsigned *size)
{
    *size = s[0] < 0x80 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    unsigned c = *size == 1 ? s[0] : s[0] & (0x7fu >> *size);
    for (unsigned i = 1; i < *size; i++)
        c = c << 6 | (s[i] & 0x3f);
    return c;
}

int main(void)
{
    const char *text = "na\xc3\xafve \xe2\x82\xac \xf0\x9f\x90\xad";
    wchar_t buffer[64];
    unsigned size;

    for (const uint8_t *s = (const uint8_t *)text; *s != 0; s += size)
        printf("U+%04X ", decode(s, &size));
    printf("\n%s\n", setlocale(LC_ALL, NULL));
    swprintf(buffer, COUNT(buffer), L"%ls %d %5.2f", L"wide", 42, 2.5);
    printf("%ls %zu %d\n", buffer, wcslen(buffer), wcscmp(L"abc", L"abd") < 0);
    printf("%ld %d %d %zu\n", wcstol(L"0x2A", NULL, 0), iswalpha(L'x') != 0, iswdigit(L'x') != 0,
           mbstowcs(buffer, "plain", COUNT(buffer)));
    return guest_result();
}
