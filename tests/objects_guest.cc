/*
 * Variables of C++, for tests/objects.py: as objects_guest.c, without a C++ library. The compiler
 * is clang++, of which a Debian has one for every target.
 */
extern "C" int printf(const char *, ...);

static void says(const volatile void *at, const char *name)
{
    printf("%lx %s\n", (unsigned long)at, name);
}

namespace outer
{
namespace inner
{
int value;
struct holder {
    static int shared;
    int own;
};
int holder::shared;
} // namespace inner
namespace
{
int secret;
}
struct base {
    int first, second;
    __attribute__((noinline)) static int counts()
    {
        static int calls;
        says(&calls, "outer::base::counts::calls");
        return calls++;
    }
};
struct derived : base {
    char letter;
    int numbers[3];
};
derived both[2];
template <class T> struct box {
    static T all;
};
template <class T> T box<T>::all;
} // namespace outer

class mixed
{
  public:
    int number;
    union {
        int whole;
        float part;
    };
};
mixed mixture;
thread_local int mine;

int main()
{
    says(&outer::inner::value, "outer::inner::value");
    says(&outer::inner::holder::shared, "outer::inner::holder::shared");
    says(&outer::secret, "outer::secret");
    says(&outer::both[1].second, "outer::both[1].second");
    says(&outer::both[1].numbers[2], "outer::both[1].numbers[2]");
    says(&outer::box<int>::all, "outer::box<int>::all");
    says(&mixture.part, "mixture.whole|part");
    says(&mine, "TLS of thread 1000: mine");
    return outer::base::counts() + outer::secret;
}
