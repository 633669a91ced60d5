using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using NumaSharp.Hosting.Tests.Support;
using NumaSharp.Plugins.Simulated;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll;

namespace NumaSharp.Hosting.Tests.Transport;

/// <summary>From keys to the options of an end point's sockets.</summary>
public sealed class TransportOptionsTests
{
    private static readonly IPEndPoint s_public = IPEndPoint.Parse("10.0.0.1:443");
    private static readonly IPEndPoint s_other = IPEndPoint.Parse("10.0.0.1:80");
    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);

    private static readonly (string Key, string Value, object Read)[] s_values =
    [
        ("Backlog", "7", 7),
        ("NoDelay", "false", false),
        ("DeferAccept", "5s", TimeSpan.FromSeconds(5)),
        ("FastOpen", "16", 16),
        ("UserTimeout", "1500ms", TimeSpan.FromMilliseconds(1500)),
        ("KeepAlive", "true", true),
        ("KeepAliveTime", "60s", TimeSpan.FromSeconds(60)),
        ("KeepAliveInterval", "10s", TimeSpan.FromSeconds(10)),
        ("KeepAliveRetryCount", "3", 3),
        ("BusyPoll", "50us", TimeSpan.FromMicroseconds(50)),
        ("ReceiveBufferSize", "64KiB", 65536),
        ("SendBufferSize", "1MiB", 1 << 20),
    ];

    public static TheoryData<string> Keys => [.. s_values.Select(static value => value.Key)];

    [Fact]
    public void Keys_OfTheTest_AreAllSocketOptions() => Assert.Equal(
        typeof(EpollSocketOptions).GetProperties().Select(static property => property.Name).Order(StringComparer.Ordinal),
        s_values.Select(static value => value.Key).Order(StringComparer.Ordinal));

    [Theory]
    [MemberData(nameof(Keys))]
    public void Key_SetForAll_IsSetForAllAndEveryEndPoint(string key)
    {
        var (_, text, value) = s_values.Single(row => row.Key == key);
        var options = OptionsOf(("Transport:" + key, text), ("Transport:Endpoints:0:Address", "10.0.0.1:443"));

        Assert.Equal((value, value), (Read(options, s_other, key), Read(options, s_public, key)));
    }

    [Theory]
    [MemberData(nameof(Keys))]
    public void Key_SetForAnEndPoint_IsSetForThatAlone(string key)
    {
        var (_, text, value) = s_values.Single(row => row.Key == key);
        var options = OptionsOf(
            ("Transport:Endpoints:0:Address", "10.0.0.1:443"), ($"Transport:Endpoints:0:{key}", text));

        Assert.Equal(value, Read(options, s_public, key));
        Assert.Equal(Read(new EpollTransportOptions(), s_public, key), Read(options, s_other, key));
    }

    // The binder writes the values of properties that it found no key for back to them, other than null.
    [Fact]
    public void Endpoints_OfTheFrameworksBinder_InheritWhatTheyDoNotSet()
    {
        var configuration = new ConfigurationBuilder().AddInMemoryCollection(
        [
            new("Mine:Transport:Backlog", "100"),
            new("Mine:Transport:NoDelay", "false"),
            new("Mine:Transport:Endpoints:0:Address", "10.0.0.1:443"),
            new("Mine:Transport:Endpoints:0:KeepAliveTime", "00:00:30"),
            new("Mine:Transport:Endpoints:0:Backlog", "512"),
        ]).Build();
        var options = OptionsOf(services => services.Configure<NumaOptions>(configuration.GetSection("Mine")));

        Assert.Equal((100, 512), (Read(options, s_other, "Backlog"), Read(options, s_public, "Backlog")));
        Assert.Equal(
            (TimeSpan.FromSeconds(30), false), (Read(options, s_public, "KeepAliveTime"), Read(options, s_public, "NoDelay")));
    }

    [Fact]
    public void Endpoints_OfCode_InheritWhatTheyDoNotSetAlsoWhenItIsSetLater()
    {
        var options = OptionsOf(static services => services.Configure<NumaOptions>(static numa =>
        {
            numa.Transport.Endpoints.Add(new() { Address = "10.0.0.1:443", Backlog = 512 });
            numa.Transport.Backlog = 100;
            numa.Transport.FastOpen = 16;
        }));

        Assert.Equal((512, 16), (Read(options, s_public, "Backlog"), Read(options, s_public, "FastOpen")));
        options.FastOpen = 17;
        Assert.Equal((100, 17), (Read(options, s_other, "Backlog"), Read(options, s_public, "FastOpen")));
        options.Endpoints.Clear();
        Assert.Equal(100, Read(options, s_public, "Backlog"));
    }

    [Fact]
    public void Endpoints_TwoItemsNameAnEndPoint_TheFirstCounts()
    {
        var options = OptionsOf(
            ("Transport:Endpoints:0:Address", "10.0.0.1:443"), ("Transport:Endpoints:0:Backlog", "7"),
            ("Transport:Endpoints:1:Address", "*:443"), ("Transport:Endpoints:1:Backlog", "8"),
            ("Transport:Endpoints:1:FastOpen", "16"));

        Assert.Equal((7, 0), (Read(options, s_public, "Backlog"), Read(options, s_public, "FastOpen")));
        Assert.Equal(8, Read(options, IPEndPoint.Parse("[::]:443"), "Backlog"));
    }

    [Fact]
    public void EndPointOptions_ReturnsSome_TheyComeBeforeThoseOfAllAndItemsDoNotCount()
    {
        var options = new NumaTransportOptions
        {
            FastOpen = 16,
            Endpoints = { new() { Address = "*:443", UserTimeout = s_second } },
            EndPointOptions = static endPoint => endPoint.Equals(s_public) ? new() { Backlog = 7 } : null,
        };
        var otherHost = IPEndPoint.Parse("10.0.0.2:443");

        Assert.Equal(
            (7, 16, TimeSpan.Zero),
            (Read(options, s_public, "Backlog"), Read(options, s_public, "FastOpen"), Read(options, s_public, "UserTimeout")));
        Assert.Equal(
            (16, s_second), (Read(options, otherHost, "FastOpen"), Read(options, otherHost, "UserTimeout")));
    }

    [Fact]
    public void EndPointOptions_ChangesOfTheResult_DoNotReachTheEndPoint()
    {
        var result = new EpollSocketOptions { Backlog = 7 };
        var own = new EpollTransportOptions { EndPointOptions = _ => result }.SocketsOf(s_public)[0];
        result.Backlog = 8;

        Assert.Equal(7, own.Backlog);
    }

    [Fact]
    public void Copy_ChangesOfTheOptions_DoNotReachIt()
    {
        var options = new NumaTransportOptions
        {
            Backlog = 100,
            Endpoints = { new() { Address = "10.0.0.1:443", FastOpen = 16 } },
        };
        var copy = options.Copy();
        options.Backlog = 200;
        options.Endpoints[0].FastOpen = 17;
        options.Endpoints.Insert(0, new() { Address = "*:443", FastOpen = 18 });

        Assert.Equal((100, 16), (Read(copy, s_public, "Backlog"), Read(copy, s_public, "FastOpen")));
    }

    // The owner's socket shows what was set on the inherited one.
    [Fact]
    public async Task Factory_OfTheHostsOptions_ServesEndPointsByThoseOfItsConstruction()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");
        using var owner = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        owner.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        owner.Listen();
        var number = owner.SafeHandle.DangerousGetHandle();
        using var host = NumaHost.Create();
        var options = new NumaTransportOptions
        {
            KeepAlive = true,
            Endpoints = { new() { Address = $"fd:{number}", UserTimeout = TimeSpan.FromSeconds(3) } },
        };
        using var factory = new EpollTransportFactory(host.Services.GetRequiredService<NumaTaskScheduler>(), options);
        (options.KeepAlive, options.Endpoints[0].UserTimeout) = (false, TimeSpan.FromSeconds(9));
        await using var listener = await factory.BindAsync(
            new FileHandleEndPoint((ulong)number, FileHandleType.Tcp), TestContext.Current.CancellationToken);

        Assert.Equal((1, 3000), (RawOptions.Read(owner, level: 1, name: 9), RawOptions.Read(owner, level: 6, name: 18)));
    }

    [Fact]
    public void Factory_OfAnItemThatNamesNoEndPoint_Throws()
    {
        using var host = NumaHost.Create();
        var scheduler = host.Services.GetRequiredService<NumaTaskScheduler>();
        var options = new NumaTransportOptions { Endpoints = { new() { Address = "example.com:80" } } };

        Assert.Contains(
            "'example.com:80' names no end point.",
            Assert.Throws<ArgumentException>(() => new EpollTransportFactory(scheduler, options)).Message,
            StringComparison.Ordinal);
        options.Endpoints[0] = new() { Address = "*:80", Backlog = 0 };
        Assert.Throws<ArgumentOutOfRangeException>(() => new EpollTransportFactory(scheduler, options));
    }

    [Fact]
    public void BufferSizes_OfCode_MayBeNullButNotBelowTheRangeOfTheKeys()
    {
        var options = OptionsOf(static services => services.Configure<NumaOptions>(static numa =>
            (numa.Transport.MaxReadBufferSize, numa.Transport.MaxWriteBufferSize) = (null, null)));
        Assert.Equal((null, null), (options.MaxReadBufferSize, options.MaxWriteBufferSize));

        var exception = Assert.ThrowsAny<OptionsValidationException>(() => OptionsOf(
            static services => services.Configure<NumaOptions>(static numa => numa.Transport.MaxReadBufferSize = 1)));
        Assert.StartsWith(
            "Numa:Transport:MaxReadBufferSize = '1': must be a size such as ", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Value_Mistakes_AreReportedWithKeyValueAndWhatIsAllowed()
    {
        var exception = Assert.ThrowsAny<OptionsValidationException>(() => OptionsOf(
            ("Transport:DeferAccept", "5"),
            ("Transport:SendBufferSize", "1KiB"),
            ("Transport:Endpoints:0:Address", "example.com:80"),
            ("Transport:Endpoints:0:Backlog", "0"),
            ("Transport:Endpoints:1:KeepAliveRetryCount", "3")));

        const string Address = "must be an address with a port such as '127.0.0.1:80', '[::1]:80', 'localhost:80' or '*:80' (any "
            + "address), the path of a Unix socket, '@' and an abstract name, or 'fd:' and a file descriptor";
        string[] expected =
        [
            "Numa:Transport:DeferAccept = '5': must be 0 (at once) or a duration such as '1ms', '5s' or '00:00:05', from 1s to "
                + "1h",
            "Numa:Transport:Endpoints:0:Address = 'example.com:80': " + Address,
            "Numa:Transport:Endpoints:0:Backlog = '0': must be an integer from 1 to 65535",
            "Numa:Transport:Endpoints:1:Address = '': " + Address,
            "Numa:Transport:SendBufferSize = '1KiB': must be 0 (the kernel adapts it) or a size such as '64KiB', '1MiB' or a "
                + "number of bytes, from 4KiB to 512MiB",
        ];
        Assert.Equal(expected, exception.Failures.Order(StringComparer.Ordinal));
    }

    private static NumaTransportOptions OptionsOf(Action<IServiceCollection> configure)
    {
        var builder = NumaHost.CreateBuilder(("Topology:Provider", SimulatedMachine.ProviderName));
        builder.AddNuma(static numa => numa.AddMachine(NumaHost.TwoNodes()));
        configure(builder.Services);
        using var host = builder.Build();
        return host.Services.GetRequiredService<IOptions<NumaOptions>>().Value.Transport;
    }

    private static NumaTransportOptions OptionsOf(params (string Key, string? Value)[] settings)
    {
        using var host = NumaHost.Create(settings);
        return host.Services.GetRequiredService<IOptions<NumaOptions>>().Value.Transport;
    }

    private static object Read(EpollTransportOptions options, EndPoint endPoint, string key)
    {
        var property = typeof(EpollSocketOptions).GetProperty(key)!;
        return options.SocketsOf(endPoint).Append(EpollTransportOptions.Defaults).Select(property.GetValue).FirstOrDefault(
            static value => value is not null) ?? Activator.CreateInstance(Nullable.GetUnderlyingType(property.PropertyType)!)!;
    }
}
