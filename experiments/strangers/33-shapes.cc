// Shapes that inherit virtually from a base that counts how often an object was drawn. Each thread
// draws one shape over and over, in another place each time.
#include <cstdio>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

class Counted {
public:
    virtual ~Counted() = default;
    unsigned drawn() const { return drawn_; }

protected:
    void count() { drawn_++; }

private:
    unsigned drawn_ = 0;
};

class Canvas {
public:
    virtual ~Canvas() = default;
    virtual void point(int x, int y) { ink_ += static_cast<unsigned>(x ^ y); }
    unsigned ink() const { return ink_; }

private:
    unsigned ink_ = 0;
};

class Shape : public virtual Counted {
public:
    virtual void draw(Canvas &canvas, int at) = 0;
};

class Dot : public Shape {
public:
    void draw(Canvas &canvas, int at) override
    {
        canvas.point(at, at);
        count();
    }
};

class Colored : public virtual Counted {
protected:
    int color_ = 3;
};

class Bar : public Shape, public Colored {
public:
    void draw(Canvas &canvas, int at) override
    {
        for (int i = 0; i < 3; i++)
            canvas.point(at + i, color_);
        count();
    }
};

static void draw_often(Shape &shape, unsigned times, unsigned &ink)
{
    Canvas canvas;
    for (unsigned i = 0; i < times; i++)
        shape.draw(canvas, static_cast<int>(i % 640));
    ink = canvas.ink();
}

int main()
{
    constexpr unsigned kShapes = 8, kTimes = 9000;
    std::vector<std::unique_ptr<Shape>> shapes;
    std::vector<unsigned> ink(kShapes);
    std::vector<std::thread> threads;

    for (unsigned i = 0; i < kShapes; i++)
        if (i % 2)
            shapes.push_back(std::make_unique<Bar>());
        else
            shapes.push_back(std::make_unique<Dot>());
    for (unsigned i = 0; i < kShapes; i++)
        threads.emplace_back(draw_often, std::ref(*shapes[i]), kTimes, std::ref(ink[i]));
    for (auto &thread : threads)
        thread.join();

    unsigned drawn = 0, sum = 0;
    for (unsigned i = 0; i < kShapes; i++) {
        drawn += shapes[i]->drawn();
        sum += ink[i];
    }
    std::printf("%u drawn, ink %u\n", drawn, sum);
}
