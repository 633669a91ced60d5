using NumaSharp.Tests.Containers;

namespace NumaSharp.DockerTests;

/// <summary>The scenarios with the engine of the docker command.</summary>
public sealed class DockerScenarios(WebImages images) : ContainerScenarios, IClassFixture<WebImages>
{
    protected override async Task<IRunningContainer> StartAsync(ContainerSettings settings) =>
        await DockerContainer.StartAsync(await images.GetAsync(settings.IsNativeAot), settings);
}
