using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;
using NSubstitute;

namespace NumaSharp.Transport.Epoll.Tests.Connections;

/// <summary>The connection as a collection of features behaves as ASP.NET Core's own collection does.</summary>
public sealed class ConnectionFeaturesTests
{
    private static readonly Type[] s_own =
    [
        typeof(IConnectionIdFeature), typeof(IConnectionTransportFeature), typeof(IConnectionItemsFeature),
        typeof(IMemoryPoolFeature), typeof(IConnectionLifetimeFeature), typeof(IConnectionEndPointFeature),
        typeof(INumaConnectionFeature),
    ];

    [Fact]
    public async Task Features_Own_AreTheConnection()
    {
        await using var pair = await RawPair.ConnectAsync(EpollDispatchMode.Inline);
        var features = pair.Server.Features;

        Assert.All(s_own, key => Assert.Same(pair.Server, features[key]));
        Assert.Same(pair.Server, features.Get<IConnectionLifetimeFeature>());
        Assert.Equal(s_own, features.Select(static feature => feature.Key));
        Assert.False(features.IsReadOnly);
    }

    // What it implements and never said to be a feature is none.
    [Fact]
    public async Task Features_NeverSet_AreNull()
    {
        await using var pair = await RawPair.ConnectAsync(EpollDispatchMode.Inline);
        var features = pair.Server.Features;

        Assert.Null(features[typeof(IAsyncDisposable)]);
        Assert.Null(features.Get<IConnectionSocketFeature>());
        Assert.Null(features.Get<int?>());
        Assert.Throws<InvalidOperationException>(() => features.Get<int>());
        Assert.Throws<ArgumentNullException>(() => features[null!]);
        Assert.Throws<ArgumentNullException>(() => features[null!] = this);
    }

    [Fact]
    public async Task Features_ManySetReplacedAndTakenAway_AreAsInTheCollectionOfTheFramework()
    {
        await using var pair = await RawPair.ConnectAsync(EpollDispatchMode.Inline);
        var expected = new FeatureCollection();
        foreach (var (key, feature) in pair.Server.Features)
        {
            expected[key] = feature;
        }

        Type[] keys = [.. s_own, .. typeof(IFeatureCollection).Assembly.GetExportedTypes().Take(20)];
        var random = new Random(7);
        for (var step = 0; step < 500; step++)
        {
            var key = keys[random.Next(keys.Length)];
            object? feature = random.Next(3) == 0 ? null : new object();
            pair.Server.Features[key] = feature;
            expected[key] = feature;

            Assert.All(keys, each => Assert.Same(expected[each], pair.Server.Features[each]));
            Assert.Equal(KeysOf(expected), KeysOf(pair.Server.Features));
        }
    }

    private static IEnumerable<string> KeysOf(IFeatureCollection features) =>
        features.Select(static feature => feature.Key.FullName!).Order(StringComparer.Ordinal);

    [Fact]
    public async Task Features_Changed_HaveAnotherRevision()
    {
        await using var pair = await RawPair.ConnectAsync(EpollDispatchMode.Inline);
        var features = pair.Server.Features;
        var revisions = new List<int> { features.Revision };
        var other = Substitute.For<IConnectionIdFeature>();
        features.Set(other);
        revisions.Add(features.Revision);
        Assert.Same(other, features.Get<IConnectionIdFeature>());

        features.Set<IConnectionIdFeature>(null);
        revisions.Add(features.Revision);
        Assert.Null(features.Get<IConnectionIdFeature>());

        features.Set<object>(this);
        revisions.Add(features.Revision);
        Assert.Equal(revisions.Distinct(), revisions);
    }
}
