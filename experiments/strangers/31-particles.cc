// Particles in a box. The particles are dealt to the threads like cards: thread t moves particles
// t, t + T, t + 2T, ...
#include <cstdint>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

template <typename Number> struct Vec2 {
    Number x{}, y{};
    Vec2 &operator+=(const Vec2 &other)
    {
        x += other.x;
        y += other.y;
        return *this;
    }
};

struct Particle {
    Vec2<int> position, velocity;
};

class Box {
public:
    Box(std::size_t count, int size) : particles_(new Particle[count]), count_(count), size_(size)
    {
        std::uint32_t x = 12345;
        auto draw = [&x](int bound) {
            x = x * 1664525u + 1013904223u;
            return static_cast<int>((x >> 8) % static_cast<unsigned>(bound));
        };
        for (std::size_t i = 0; i < count_; i++)
            particles_[i] = {{draw(size), draw(size)}, {draw(15) - 7, draw(15) - 7}};
    }

    void run(unsigned threads, unsigned steps)
    {
        std::vector<std::thread> pool;
        for (unsigned t = 0; t < threads; t++)
            pool.emplace_back([=, this] {
                for (unsigned s = 0; s < steps; s++)
                    for (std::size_t i = t; i < count_; i += threads)
                        move(particles_[i]);
            });
        for (auto &thread : pool)
            thread.join();
    }

    int sum() const
    {
        int sum = 0;
        for (std::size_t i = 0; i < count_; i++)
            sum += particles_[i].position.x ^ particles_[i].position.y;
        return sum;
    }

private:
    void move(Particle &p) const
    {
        p.position += p.velocity;
        bounce(p.position.x, p.velocity.x);
        bounce(p.position.y, p.velocity.y);
    }

    void bounce(int &position, int &velocity) const
    {
        if (position < 0 || position >= size_) {
            velocity = -velocity;
            position += 2 * velocity;
        }
    }

    std::unique_ptr<Particle[]> particles_;
    std::size_t count_;
    int size_;
};

int main()
{
    Box box(64, 1000);
    box.run(8, 1200);
    std::printf("%d\n", box.sum());
}
