using NumaSharp.Tests.Containers;

namespace NumaSharp.ContainerTests;

/// <summary>The scenarios with Testcontainers.</summary>
public sealed class TestcontainersScenarios(WebImages images) : ContainerScenarios, IClassFixture<WebImages>
{
    protected override async Task<IRunningContainer> StartAsync(ContainerSettings settings) =>
        await TestContainer.StartAsync(await images.GetAsync(settings.IsNativeAot), settings);
}
