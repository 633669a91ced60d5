namespace NumaSharp.ContainerTests;

/// <summary>Makes the playground's images when they are first needed, as a user does, and removes them.</summary>
public sealed class WebImages : IAsyncDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(15);

    private readonly ContainerEngine _engine;
    private readonly string _name = $"numasharp-test-{Environment.ProcessId}";
    private readonly Lazy<Task<string>> _runtime;
    private readonly Lazy<Task<string>> _nativeAot;

    public WebImages(ContainerEngine engine)
    {
        _engine = engine;
        _runtime = new(() => MakeAsync("runtime"));
        _nativeAot = new(() => MakeAsync("aot", "-p:PublishAot=true"));
    }

    /// <summary>An image; skips the test with the reason where it cannot be made or run.</summary>
    public async Task<string> GetAsync(bool isNativeAot)
    {
        await _engine.SkipUnlessThereAsync();
        if (isNativeAot)
        {
            AheadOfTime.SkipUnlessThereIsALinker();
        }

        return await (isNativeAot ? _nativeAot : _runtime).Value;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var image in (Lazy<Task<string>>[])[_runtime, _nativeAot])
        {
            if (image is { IsValueCreated: true, Value.IsCompletedSuccessfully: true })
            {
                await Docker.RunAsync("rmi", "--force", await image.Value);
            }
        }
    }

    private async Task<string> MakeAsync(string tag, params string[] arguments)
    {
        var script = Repository.PathOf("playground", "deploy", "image");
        var result = await ExternalProgram.TryAsync(script, s_patience, [$"{_name}:{tag}", .. arguments]);
        AheadOfTime.SkipIfAPackageIsMissing(result.Errors);
        Assert.True(result.Succeeded, $"{script}: {result}");
        Assert.DoesNotContain("warning", result.Errors, StringComparison.Ordinal);
        return $"{_name}:{tag}";
    }
}
